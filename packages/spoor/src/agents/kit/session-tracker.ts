import type { Signal } from "../signal.ts";
import { asText } from "./json-values.ts";

/**
 * The id of the agent's session.
 *
 * @example
 * const session = new SessionTracker();
 * session.update("s-1"); // [{ kind: "session", id: "s-1" }]
 * session.update("s-1"); // []
 */
export class SessionTracker {
  id: string | undefined;

  /** Takes the id from a frame, and reports a session if the id changed. */
  update(reported: unknown): Signal[] {
    const id = asText(reported);
    if (!id || id === this.id) return [];
    this.id = id;
    return [{ kind: "session", id }];
  }
}
