import { asArray, asNumber, asObject, asText, type Json } from "../../json-machine.ts";
import type { Signal } from "../../signal.ts";
import { type Calls, type Terminal, tell } from "./calls.ts";

/** Terminals, told by the agent's requests and the client's answers to them. */
export class Terminals {
  readonly #all = new Map<string, Terminal>();
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  find = (id: string): Terminal | undefined => this.#all.get(id);

  answered(method: string, params: Json, result: Json): Signal[] {
    if (method === "terminal/create") return this.#created(params, result);
    const terminal = this.find(asText(params.terminalId) ?? "");
    if (!terminal) return [];
    const exit = method === "terminal/wait_for_exit" ? result : asObject(result.exitStatus);
    if (exit) terminal.exitCode = asNumber(exit.exitCode) ?? -1;
    terminal.output = asText(result.output) ?? terminal.output;
    return terminal.call ? tell(terminal.call, terminal.output) : [];
  }

  #created(params: Json, result: Json): Signal[] {
    const words = [params.command, ...asArray(params.args)].filter((word) => typeof word === "string");
    const cwd = asText(params.cwd);
    const terminal: Terminal = { command: words.join(" "), cwd, output: "", exitCode: undefined, call: undefined };
    this.#all.set(asText(result.terminalId) ?? "", terminal);
    // The call names its terminal later, if at all.
    const running = this.#calls.latest;
    return running?.toolKind === "shell" && !running.terminal ? this.#calls.attach(running, terminal) : [];
  }
}
