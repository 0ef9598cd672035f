import { given } from "../../../given.ts";
import { asObject, asObjects, asText, type Json } from "../../../json-machine.ts";
import type { Signal } from "../../../signal.ts";
import type { History } from "../updates/history.ts";
import { Costs } from "../updates/usage.ts";

interface Session {
  id: string;
  cwd: string | undefined;
  isResumed: boolean;
  forkedFrom: string | undefined;
  costs: Costs;
}

/** The session a message names: plainly, or as some have it within an object. */
export function sessionIdIn(fields: Json | undefined): string | undefined {
  const inner = asObject(fields?.session);
  const ids = [fields?.sessionId, fields?.session_id, fields?.session, inner?.sessionId, inner?.id];
  return ids.find((id) => typeof id === "string" && id !== "") as string | undefined;
}

/** Requests that open a session. */
export const opensSession = (method: unknown): boolean =>
  typeof method === "string" && /^session\/(new|load|resume|fork)$/.test(method);

/** Those that name one there was before. */
export const asksForSession = (method: unknown): boolean => opensSession(method) && method !== "session/new";

/**
 * The sessions of one connection. The first one opened is the run's; a later one is once it is prompted, so that
 * opening several to choose from makes no empty runs.
 */
export class Sessions {
  current: Session | undefined;
  model: string | undefined;
  readonly #all = new Map<string, Session>();
  readonly #history: History;
  #untold: Session | undefined;

  constructor(history: History) {
    this.#history = history;
  }

  /**
   * The answer to a request that opens a session; a load or a resume answers without its id. What a loaded session
   * holds may come after the answer, so it is told with the prompt. `undefined` when it has no id.
   */
  opened(request: Json | undefined, result: Json): Signal[] | undefined {
    const params = asObject(request?.params) ?? {};
    const asked = sessionIdIn(params);
    const isFork = request?.method === "session/fork";
    const id = sessionIdIn(result) ?? (isFork ? undefined : asked);
    this.configured(result);
    if (id === undefined) return undefined;
    if (this.#all.has(id)) return [];
    const isResumed = asked !== undefined && !isFork;
    const forkedFrom = isFork ? asked : undefined;
    const costs = new Costs(isResumed || isFork);
    const session = { id, cwd: asText(params.cwd), isResumed, forkedFrom, costs };
    this.#all.set(id, session);
    if (this.current) return [];
    this.current = session;
    this.#untold = session;
    return isResumed ? [] : this.unprompted();
  }

  /** The session that was opened first, if nothing told it yet. */
  unprompted(): Signal[] {
    return this.#untold ? this.#tell(this.#untold) : [];
  }

  /** Whether a session was never opened here, while another was. */
  isStray = (id: string | undefined): boolean => this.current !== undefined && !this.#all.has(id ?? "");

  prompted(id: string | undefined): Signal[] {
    const session = this.#all.get(id ?? "");
    if (!session || session === this.current) return this.unprompted();
    this.current = session;
    return this.#tell(session);
  }

  #tell(session: Session): Signal[] {
    this.#untold = undefined;
    const { id, isResumed: resumed, forkedFrom } = session;
    const priorTurns = (resumed && this.#history.turns) || undefined;
    return [{ kind: "session", id, resumed, ...given({ priorTurns, forkedFrom }) }];
  }

  /** Answers and updates that hold the configuration say which model is chosen. */
  configured(fields: Json): void {
    const option = asObjects(fields.configOptions).find(({ category }) => category === "model");
    const model = asText(asObject(fields.models)?.currentModelId) ?? asText(option?.currentValue);
    if (model !== undefined) this.model = model === "default" || model === "auto" ? undefined : model;
  }
}
