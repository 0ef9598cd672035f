import type { Signal } from "../signal.ts";
import { asText } from "./json-values.ts";

/** The agent's session, as its frames name it. */
export class SessionTracker {
  id: string | undefined;

  /** A frame's word for it: told where it is another than before. */
  update(told: unknown): Signal[] {
    const id = asText(told);
    if (!id || id === this.id) return [];
    this.id = id;
    return [{ kind: "session", id }];
  }
}
