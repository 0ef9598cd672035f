import { fail, internalError } from "../../../kit/failures.ts";
import type { RpcResponse } from "../../../kit/json-rpc.ts";
import { asObject, asObjects, asText, type Json } from "../../../kit/json-values.ts";
import { omitUndefined } from "../../../kit/omit-undefined.ts";
import type { Signal } from "../../../signal.ts";
import { Costs } from "./acp-usage.ts";

interface Session {
  id: string;
  cwd: string | undefined;
  isResumed: boolean;
  forkedFrom: string | undefined;
  costs: Costs;
}

/** The session id in a message: a field of it, or of a nested object. */
export function sessionIdIn(fields: Json | undefined): string | undefined {
  const inner = asObject(fields?.session);
  const ids = [fields?.sessionId, fields?.session_id, fields?.session, inner?.sessionId, inner?.id];
  return ids.find((id) => typeof id === "string" && id !== "") as string | undefined;
}

/** Whether a request opens a session. */
export const opensSession = (method: string): boolean => /^session\/(new|load|resume|fork)$/.test(method);

/**
 * The sessions of one connection. The first session belongs to the run; a later one does once it is prompted. So a
 * client can open several sessions without making empty runs.
 */
export class Sessions {
  current: Session | undefined;
  model: string | undefined;
  /** Text that the agent shows when it opens a session, as if it were a message of the model. */
  banner: string | undefined;
  /** The prompt is a command such as `/status`, which the agent answers itself. */
  isCommand = false;
  /** The number of turns in the history of a loaded session. */
  priorTurns = 0;
  readonly #all = new Map<string, Session>();
  #reported: Session | undefined;

  /**
   * Reads the response to a request that opens a session; the response to a load or a resume lacks the id. The history
   * of a loaded session may follow the response, so the session is reported with the prompt.
   */
  opened({ method, params, result = {} }: RpcResponse): Signal[] {
    const notes = Object.values(asObject(result._meta) ?? {}).map((note) => asText(asObject(note)?.startupInfo));
    this.banner = notes.find(Boolean) ?? this.banner;
    const asked = sessionIdIn(params);
    const isFork = method === "session/fork";
    const [resumed, forkedFrom] = isFork ? [undefined, asked] : [asked, undefined];
    const id = sessionIdIn(result) ?? resumed;
    if (id === undefined) return [fail(internalError("The agent opened a session without an id."))];
    if (this.#all.has(id)) return [];
    const isResumed = resumed !== undefined;
    const session = { id, cwd: asText(params.cwd), isResumed, forkedFrom, costs: new Costs(isResumed || isFork) };
    this.#all.set(id, session);
    if (this.current) return [];
    this.current = session;
    return isResumed ? [] : this.report();
  }

  /** Whether a session was never opened here although another was. */
  isStray = (id: string | undefined): boolean => this.current !== undefined && !this.#all.has(id ?? "");

  /** Whether an update belongs to another session than the run's. An update without a session id belongs to the run. */
  isOther = (id: string | undefined): boolean =>
    id !== undefined && this.current !== undefined && id !== this.current.id;

  prompted(id: string | undefined, prompt: unknown): Signal[] {
    this.isCommand = asText(asObjects(prompt)[0]?.text)?.startsWith("/") ?? false;
    this.current = this.#all.get(id ?? "") ?? this.current;
    return this.report();
  }

  /** Reports the run's session, once. */
  report(): Signal[] {
    if (!this.current || this.current === this.#reported) return [];
    this.#reported = this.current;
    const { id, isResumed: resumed, forkedFrom } = this.current;
    const priorTurns = (resumed && this.priorTurns) || undefined;
    return [{ kind: "session", id, resumed, ...omitUndefined({ priorTurns, forkedFrom }) }];
  }

  /** Reads the chosen model from responses and updates that contain the configuration. */
  configured(fields: Json): void {
    const option = asObjects(fields.configOptions).find(({ category }) => category === "model");
    const model = asText(asObject(fields.models)?.currentModelId) ?? asText(option?.currentValue);
    if (model !== undefined) this.model = model === "default" || model === "auto" ? undefined : model;
  }
}
