import type { Signal } from "../signal.ts";
import { asText } from "./json-machine.ts";

/** The agent's session, as its frames name it. */
export class Session {
  id: string | undefined;

  /** A frame's word for it: told where it is another than before. */
  enter(told: unknown): Signal[] {
    const id = asText(told);
    if (!id || id === this.id) return [];
    this.id = id;
    return [{ kind: "session", id }];
  }
}
