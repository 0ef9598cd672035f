import type { HostFact } from "../../../host.ts";
import { textAfterPrefix } from "../../../kit/appended-text.ts";
import type { RpcResponse } from "../../../kit/json-rpc.ts";
import { asArray, asNumber, asObject, asText, type Json } from "../../../kit/json-values.ts";
import { assignToSubagent } from "../../../kit/subagent-signals.ts";
import { readySignals, type ToolCall } from "../../../kit/tool-calls.ts";
import type { FileFact, Signal } from "../../../signal.ts";
import type { Calls } from "../calls/acp-tool-calls.ts";
import { commandLine } from "../calls/call-content.ts";
import { commandOf } from "../calls/call-state.ts";
import { outputOf, type Terminal } from "../calls/client-terminal.ts";
import type { Scope } from "../session/scope.ts";

/**
 * Reads what the client does for the agent: files that it writes, commands that it runs. A recording contains only the
 * client's responses; a live run also reports each action as it happens. An action is reported with its call, or else
 * as a call of its own.
 */
export function createHosting(calls: Calls, main: Scope) {
  const { terminals, files, running, attach, settleRefused, clear } = calls;
  let own = 0;

  /** The client did what the agent requested. */
  function answered({ method, params, result = {} }: RpcResponse): Signal[] {
    const path = asText(params.path) ?? "";
    if (method === "terminal/create") return created(params, asText(result.terminalId) ?? "");
    if (method.startsWith("terminal/")) return controlled(method, params, result);
    if (method === "fs/read_text_file" && params.line == null && params.limit == null) {
      files.saw(path, asText(result.content) ?? "");
    }
    if (method === "fs/write_text_file") files.wrote(path, asText(params.content) ?? "");
    return [];
  }

  function hosted(fact: HostFact): Signal[] {
    if (fact.kind === "wrote") files.saw(fact.path, fact.existed ? (fact.before ?? "") : null);
    const terminal = fact.kind === "wrote" ? undefined : terminals.get(fact.terminal);
    if (!terminal) return [];
    if (fact.kind === "exited") terminal.exitCode = fact.exitCode;
    if (fact.kind !== "printed") return [];
    terminal.isLive = true;
    terminal.unreported.push({ stream: fact.stream, text: fact.text });
    return outputOf(terminal);
  }

  /** Reports files that no call has claimed. The model continues, so no call will claim them. */
  const settleFiles = (): Signal[] => files.takeUnclaimed().flatMap(ownFile);

  /** The prompt is over, and so are its calls and the commands that ran without one. */
  function settle(): Signal[] {
    const refused = settleRefused(main);
    clear();
    const unclaimed = [...terminals.values()].filter(({ call }) => !call);
    return [...refused, ...settleFiles(), ...unclaimed.flatMap(ownTerminal)];
  }

  function created(params: Json, id: string): Signal[] {
    const command = commandLine([params.command, ...asArray(params.args)]);
    const terminal: Terminal = { command, cwd: asText(params.cwd), unreported: [], shown: "" };
    terminals.set(id, terminal);
    // The call may name its terminal later, or not at all.
    const waiting = running().filter((one) => one.toolKind === "shell" && !one.terminal);
    const call = waiting.find((one) => runs(command, commandOf(one))) ?? waiting.at(-1);
    return call ? assignToSubagent(call.scope.child, attach(call, terminal)) : [];
  }

  function controlled(method: string, params: Json, result: Json): Signal[] {
    const terminal = terminals.get(asText(params.terminalId) ?? "");
    if (!terminal) return [];
    const exit = method === "terminal/wait_for_exit" ? result : asObject(result.exitStatus);
    if (exit) terminal.exitCode = asNumber(exit.exitCode) ?? -1;
    if (method === "terminal/output") return shown(terminal, asText(result.output) ?? "");
    return method === "terminal/release" && !terminal.call ? [...settleFiles(), ...ownTerminal(terminal)] : [];
  }

  /** All output so far. Only the new part is reported; nothing if the beginning was cut off or rewritten. */
  function shown(terminal: Terminal, output: string): Signal[] {
    const text = terminal.isLive ? "" : textAfterPrefix(terminal.shown, output);
    if (text === "") return [];
    terminal.shown = output;
    terminal.unreported.push({ stream: "stdout", text });
    return outputOf(terminal);
  }

  function ownFile(file: FileFact): Signal[] {
    const call = { name: "write_text_file", toolKind: "file_write", input: { path: file.path } } as const;
    return main.wholeCall({ id: `hosted-file-${++own}`, ...call }, { files: [file] });
  }

  function ownTerminal(terminal: Terminal): Signal[] {
    const id = `hosted-shell-${++own}`;
    const { command, cwd, exitCode = -1 } = terminal;
    const call: ToolCall = { id, name: "terminal", toolKind: "shell", input: { command } };
    terminal.call = { id, scope: main };
    return main.wholeCall(call, { exitCode }, [...readySignals(call, cwd), ...outputOf(terminal)]);
  }

  return { answered, hosted, settleFiles, settle };
}

/** Whether a line is the command, or runs it with a shell. */
const runs = (line: string, command: string): boolean => command !== "" && line.endsWith(command);
