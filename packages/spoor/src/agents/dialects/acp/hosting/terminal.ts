import { given } from "../../../given.ts";
import { restOf } from "../../../growth.ts";
import type { Signal } from "../../../signal.ts";

/** A terminal of the client's in which a command of the agent's runs. What it prints is told once a call claims it. */
export class Terminal {
  readonly id: string;
  readonly command: string;
  readonly cwd: string | undefined;
  exitCode: number | undefined;
  #call: { id: string; child: string | undefined } | undefined;
  readonly #held: { stream: "stdout" | "stderr"; text: string }[] = [];
  /** Shown to the agent so far, in recordings: each time it is shown all there is. */
  #shown = "";
  #isLive = false;

  constructor(id: string, command: string, cwd: string | undefined) {
    this.id = id;
    this.command = command;
    this.cwd = cwd;
  }

  get isUnclaimed(): boolean {
    return this.#call === undefined;
  }

  /** The terminal is of this call, which may be a subagent's. */
  claim(id: string, child: string | undefined): Signal[] {
    this.#call = { id, child };
    return this.#held.splice(0).flatMap(({ stream, text }) => this.#tell(stream, text));
  }

  /** Printed just now, as only the one who runs it knows. */
  printed(stream: "stdout" | "stderr", text: string): Signal[] {
    this.#isLive = true;
    return this.#tell(stream, text);
  }

  /** All there is so far. The rest of it is new; where the beginning was cut off or rewritten, nothing is told. */
  shown(output: string): Signal[] {
    const rest = this.#isLive ? "" : restOf(this.#shown, output);
    if (rest === "") return [];
    this.#shown = output;
    return this.#tell("stdout", rest);
  }

  #tell(stream: "stdout" | "stderr", text: string): Signal[] {
    if (!this.#call) {
      this.#held.push({ stream, text });
      return [];
    }
    const { id, child } = this.#call;
    return [{ kind: "output", id, stream, text, ...given({ child }) }];
  }
}
