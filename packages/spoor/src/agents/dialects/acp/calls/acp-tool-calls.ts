import { newOutputSignals } from "../../../kit/appended-text.ts";
import { asObject, asObjects, asText, type Json } from "../../../kit/json-values.ts";
import { omitUndefined } from "../../../kit/omit-undefined.ts";
import { spawnEndSignal, spawnSignal, toolCallFields } from "../../../kit/tool-calls.ts";
import type { Signal, ToolEnd } from "../../../signal.ts";
import type { AcpProfile } from "../acp-profile.ts";
import type { Sessions } from "../session/open-sessions.ts";
import type { Scope } from "../session/scope.ts";
import { createFiles } from "./acp-file-changes.ts";
import { toolOf } from "./acp-tools.ts";
import { type AgentTerminalOutput, agentTerminalIn, splitExitRemark } from "./agent-terminal.ts";
import { errorText, exitCodeOf, printedText, textIn } from "./call-content.ts";
import { applyFrame, type Call, commandOf, type Source } from "./call-state.ts";
import { outputOf, type Terminal } from "./client-terminal.ts";

export type Calls = ReturnType<typeof createCalls>;

/** Reads tool calls from any mix of `tool_call`, `tool_call_update` and permission requests, in any order. */
export function createCalls(profile: AcpProfile, sessions: Sessions) {
  const open = new Map<string, Call>();
  const ended = new Set<string>();
  /** The client's terminals, by the ids that the client assigned. */
  const terminals = new Map<string, Terminal>();
  const running = (): Call[] => [...open.values()].filter(({ isRefused }) => !isRefused);
  const files = createFiles(sessions, running);

  /** Returns `undefined` for a call that has ended: its end is reported once. */
  function update(frame: Json, source: Source, scope: Scope): Signal[] | undefined {
    const id = asText(frame.toolCallId);
    if (!id || ended.has(id)) return undefined;
    const signals: Signal[] = [];
    const call = open.get(id) ?? begin(id, frame, scope, signals);
    const isOver = frame.status === "completed" || frame.status === "failed";
    const isReady = applyFrame(call, frame, source, profile);
    const own = agentTerminalIn(frame);
    if (!call.isReady && call.toolKind === "other") call.toolKind = toolOf(id, frame, profile).toolKind;
    signals.push(...attachNamed(call, frame));
    if (isReady) signals.push(...ready(call));
    // A subagent begins once nobody can refuse it any more.
    if (source !== "session/request_permission" && call.toolKind === "subagent" && call.isReady && !call.isRefused) {
      signals.push({ ...spawnSignal(call, call.title), tracked: call.isMarked });
    }
    if (own) signals.push(...ran(call, own));
    else if (source === "tool_call_update") signals.push(...run(call, frame, isOver));
    if (isOver) signals.push(...command(call, call.title), ...end(call, frame));
    return signals;
  }

  function begin(id: string, frame: Json, scope: Scope, signals: Signal[]): Call {
    const tool = toolOf(id, frame, profile);
    const call: Call = {
      ...{
        ...tool,
        id,
        scope,
        title: "",
        acpKind: "other",
        input: undefined,
        described: "",
        reported: "",
        printed: "",
      },
      ...{ diffs: [], paths: [], isMarked: asObject(frame._meta) !== undefined },
    };
    signals.push(...settleRefused(scope), ...scope.toolBegins(id, profile.sameModelCallId?.test(id)));
    signals.push({ kind: "toolStart", id, ...tool });
    open.set(id, call);
    return call;
  }

  function ready(call: Call): Signal[] {
    if (call.isReady) return [];
    call.isReady = true;
    const { toolKind, title, paths, terminal } = call;
    const line = terminal?.command ?? (profile.commandInTitle && toolKind === "shell" ? title : "");
    call.input ??= { ...(line ? { command: line } : { title }), ...(paths.length > 0 && { paths }) };
    return [{ kind: "toolReady", ...toolCallFields(call) }, ...command(call)];
  }

  /** The command, once it is known. The title may be the command or only a description. */
  function command(call: Call, orTitle = ""): Signal[] {
    const { id, toolKind, terminal, input } = call;
    const line = commandOf(call) || orTitle;
    if (call.hasCommand || line === "" || (toolKind !== "shell" && !terminal)) return [];
    call.hasCommand = true;
    const cwd = terminal?.cwd ?? asText(asObject(input)?.cwd) ?? sessions.current?.cwd;
    return [{ kind: "shell", id, command: line, ...omitUndefined({ cwd }) }];
  }

  function attachNamed(call: Call, frame: Json): Signal[] {
    const named = asObjects(frame.content).map(({ terminalId }) => terminals.get(asText(terminalId) ?? ""));
    const terminal = named.find((found) => found && !found.call);
    return terminal && !call.terminal ? attach(call, terminal) : [];
  }

  /** The call's command runs in a terminal of the client. */
  function attach(call: Call, terminal: Terminal): Signal[] {
    call.terminal = terminal;
    terminal.call = call;
    if (!call.isReady) call.toolKind = "shell";
    return [...ready(call), ...command(call), ...outputOf(terminal)];
  }

  /** The agent reports the output of its own terminal. Only a command's output is reported apart from its result. */
  function ran(call: Call, { text, exitCode }: AgentTerminalOutput): Signal[] {
    const said = splitExitRemark(text, profile.exitRemark);
    const code = said.exitCode ?? exitCode;
    if (code !== undefined) call.exitCode = code;
    call.printed += said.text;
    if (call.isRefused || call.toolKind !== "shell" || said.text === "") return [];
    call.reported = call.printed;
    return [
      ...ready(call),
      ...command(call, call.title),
      { kind: "output", id: call.id, stream: "stdout", text: said.text },
    ];
  }

  function run(call: Call, frame: Json, isOver: boolean): Signal[] {
    if (call.terminal || call.isRefused || call.toolKind !== "shell" || !call.isReady) return [];
    if (profile.inputInContent && frame.rawInput !== undefined && !isOver) return [];
    const { text: shown, isExact } = printedText(frame.rawOutput, frame.content);
    const { text, exitCode } = isOver ? splitExitRemark(shown, profile.exitRemark) : { text: shown };
    if (exitCode !== undefined) return [...command(call, call.title), ...newOutputSignals(call, text)];
    const cancelled = profile.cancelled?.exec(text);
    // The last text may be an error message, or add remarks to the output that was already reported.
    const isRemark = isOver && !isExact && (call.reported !== "" || frame.status === "failed");
    if (text === "" || (!cancelled && (text === call.described || isRemark))) return [];
    return [
      ...command(call, call.title),
      ...newOutputSignals(call, cancelled ? (cancelled.groups?.output ?? "") : text),
    ];
  }

  function end(call: Call, { status, rawOutput, content }: Json): Signal[] {
    const text = textIn(content) || call.printed;
    const received = call.exitCode ?? exitCodeOf(rawOutput) ?? saidExitCode(call, rawOutput, content);
    // A command that still runs in its terminal was sent to the background.
    const ran = omitUndefined({ exitCode: received ?? (call.terminal && (call.terminal.exitCode ?? -1)) });
    const isCancelled = profile.cancelled?.test(text) ?? false;
    if (status === "failed" || isCancelled) {
      const outcome = call.isRefused ? "blocked" : isCancelled ? "cancelled" : "failed";
      const otherwise = call.isRefused ? refusal : call.printed || "The tool failed.";
      const error = errorText(rawOutput, content, otherwise);
      return finish(call, { ...ran, error, outcome, ...(call.mcp && { protocol: false }) });
    }
    const shown = asObjects(content).filter(({ type }) => type === "content");
    const output = (call.printed ? undefined : rawOutput) || text || (shown.length > 0 ? shown : null);
    return finish(call, { ...ran, output, files: files.of(call) }, text || printedText(rawOutput, content).text);
  }

  function saidExitCode({ toolKind }: Call, rawOutput: unknown, content: unknown): number | undefined {
    if (toolKind !== "shell" || !profile.exitRemark) return undefined;
    return splitExitRemark(printedText(rawOutput, content).text, profile.exitRemark).exitCode;
  }

  function finish(call: Call, how: Omit<ToolEnd, "kind" | "id" | "name">, summary = ""): Signal[] {
    const { id, name, scope, toolKind } = call;
    close(call);
    scope.toolEnds(id);
    const spawned = toolKind === "subagent" ? [spawnEndSignal(id, summary, how.error)] : [];
    return [...spawned, { kind: "toolEnd", id, name, ...how }];
  }

  function close(call: Call): void {
    call.isOver = true;
    open.delete(call.id);
    ended.add(call.id);
  }

  function refuse(call: Call): void {
    call.isRefused = true;
    call.scope.toolEnds(call.id);
  }

  /** A refused call may never end by itself. The model's next output shows that it is over. */
  function settleRefused(scope: Scope): Signal[] {
    const refused = [...open.values()].filter((call) => call.isRefused && call.scope === scope);
    return refused.flatMap((call) => finish(call, { error: refusal, outcome: "blocked" }));
  }

  const find = (id: unknown): Call | undefined => open.get(asText(id) ?? "");
  const clear = (): void => open.forEach(close);

  return { terminals, files, find, running, update, attach, refuse, settleRefused, clear };
}

const refusal = "Permission was refused.";
