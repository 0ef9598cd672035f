import { asArray, asObject, asText, type Json } from "../../json-machine.ts";
import type { Signal } from "../../signal.ts";
import { Costs } from "./usage.ts";

interface Session {
  id: string;
  cwd: string | undefined;
  isResumed: boolean;
  forkedFrom: string | undefined;
  costs: Costs;
}

/** Requests that open a session. */
export const opensSession = (method: unknown): boolean =>
  typeof method === "string" && /^session\/(new|load|resume|fork)$/.test(method);

/**
 * The sessions of one connection. The first one opened is the run's; a later one is once it is prompted, so that
 * opening several to choose from makes no empty runs.
 */
export class Sessions {
  current: Session | undefined;
  model: string | undefined;
  readonly #all = new Map<string, Session>();

  /** The answer to a request that opens a session; a load or a resume answers without its id. */
  opened(request: Json | undefined, result: Json): Signal[] {
    const params = asObject(request?.params) ?? {};
    const asked = asText(params.sessionId);
    const id = asText(result.sessionId) ?? asked;
    this.configured(result);
    if (id === undefined || this.#all.has(id)) return [];
    const isFork = request?.method === "session/fork";
    const isResumed = asked !== undefined && !isFork;
    const forkedFrom = isFork ? asked : undefined;
    const costs = new Costs(isResumed || isFork);
    this.#all.set(id, { id, cwd: asText(params.cwd), isResumed, forkedFrom, costs });
    return this.current ? [] : this.prompted(id);
  }

  /** Whether a session was never opened here, while another was. */
  isStray = (id: string | undefined): boolean => this.current !== undefined && !this.#all.has(id ?? "");

  prompted(id: string | undefined): Signal[] {
    const session = this.#all.get(id ?? "");
    if (!session || session === this.current) return [];
    this.current = session;
    const { isResumed: resumed, forkedFrom } = session;
    return [{ kind: "session", id: session.id, resumed, ...(forkedFrom && { forkedFrom }) }];
  }

  /** Answers and updates that hold the configuration say which model is chosen. */
  configured(fields: Json): void {
    const option = asArray(fields.configOptions).find((entry) => asObject(entry)?.category === "model");
    const chosen = asText(asObject(option)?.currentValue);
    const model = asText(asObject(fields.models)?.currentModelId) ?? chosen;
    if (model !== undefined) this.model = model === "default" || model === "auto" ? undefined : model;
  }
}
