import { given } from "../../../given.ts";
import type { HostFact } from "../../../host.ts";
import { asArray, asNumber, asObject, asText, type Json } from "../../../json-machine.ts";
import type { FileFact, Signal } from "../../../signal.ts";
import { type Before, commandLine, writtenFile } from "../calls/content.ts";
import type { Calls } from "../calls/index.ts";
import type { Scope } from "../updates/scope.ts";
import { Terminal } from "./terminal.ts";

/** Texts of files that are kept to tell what a write changed. */
const MAX_TEXTS = 64;

/**
 * What the client does for the agent: files it writes, commands it runs. A recording tells by the client's answers;
 * a run of ours also tells as it happens. Each is told with the call it is of, else as a call of its own.
 */
export class Hosting {
  readonly #calls: Calls;
  readonly #main: Scope;
  readonly #terminals = new Map<string, Terminal>();
  /** Texts of files as the client last saw them; `undefined` is no text. */
  readonly #texts = new Map<string, Before>();
  #own = 0;

  constructor(calls: Calls, main: Scope) {
    this.#calls = calls;
    this.#main = main;
  }

  terminal = (id: string): Terminal | undefined => this.#terminals.get(id);

  /** The client did what a request of the agent's asked for. */
  answered(method: string, params: Json, result: Json): Signal[] {
    const path = asText(params.path) ?? "";
    if (method === "terminal/create") return this.#created(params, asText(result.terminalId) ?? "");
    if (method.startsWith("terminal/")) return this.#controlled(method, params, result);
    if (method === "fs/read_text_file" && params.line == null && params.limit == null) {
      this.#remember(path, { text: asText(result.content) ?? "", existed: true });
    }
    if (method === "fs/write_text_file") {
      const after = asText(params.content) ?? "";
      this.#calls.files.wrote(writtenFile(path, after, this.#texts.get(path)), this.#calls.running);
      this.#remember(path, { text: after, existed: true });
    }
    return [];
  }

  hosted(fact: HostFact): Signal[] {
    if (fact.kind === "wrote") {
      this.#remember(fact.path, { text: fact.before, existed: fact.existed });
      return [];
    }
    const terminal = this.terminal(fact.terminal);
    if (fact.kind === "printed") return terminal?.printed(fact.stream, fact.text) ?? [];
    if (terminal) terminal.exitCode = fact.exitCode;
    return [];
  }

  /** Files no call has claimed: the model goes on, so none will. */
  settleFiles(): Signal[] {
    return this.#calls.files.takeUnclaimed().flatMap((file) => this.#ownFile(file));
  }

  /** The prompt is over: so is what ran without a call. */
  settle(): Signal[] {
    const unclaimed = [...this.#terminals.values()].filter((terminal) => terminal.isUnclaimed);
    return [...this.settleFiles(), ...unclaimed.flatMap((terminal) => this.#ownTerminal(terminal))];
  }

  #remember(path: string, before: Before): void {
    this.#texts.delete(path);
    this.#texts.set(path, before);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > MAX_TEXTS && oldest !== undefined) this.#texts.delete(oldest);
  }

  #created(params: Json, id: string): Signal[] {
    const terminal = new Terminal(id, commandLine([params.command, ...asArray(params.args)]), asText(params.cwd));
    this.#terminals.set(id, terminal);
    // The call names its terminal later, if at all.
    const running = this.#calls.runningShell;
    return running ? this.#calls.attach(running, terminal) : [];
  }

  #controlled(method: string, params: Json, result: Json): Signal[] {
    const terminal = this.terminal(asText(params.terminalId) ?? "");
    if (!terminal) return [];
    const exit = method === "terminal/wait_for_exit" ? result : asObject(result.exitStatus);
    if (exit) terminal.exitCode = asNumber(exit.exitCode) ?? -1;
    const signals = method === "terminal/output" ? terminal.shown(asText(result.output) ?? "") : [];
    if (method === "terminal/release" && terminal.isUnclaimed) {
      signals.push(...this.settleFiles(), ...this.#ownTerminal(terminal));
    }
    return signals;
  }

  #ownFile(file: FileFact): Signal[] {
    const id = `hosted-file-${++this.#own}`;
    const call = { id, name: "write_text_file", toolKind: "file_write", input: { path: file.path } } as const;
    return this.#main.wholeCall(call, [{ kind: "toolEnd", id, output: null, files: [file] }]);
  }

  #ownTerminal(terminal: Terminal): Signal[] {
    const id = `hosted-shell-${++this.#own}`;
    const { command, cwd, exitCode = -1 } = terminal;
    return this.#main.wholeCall({ id, name: "terminal", toolKind: "shell", input: { command } }, [
      { kind: "shell", id, command, ...given({ cwd }) },
      ...terminal.claim(id, undefined),
      { kind: "toolEnd", id, output: null, exitCode },
    ]);
  }
}
