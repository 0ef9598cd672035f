import { given } from "../../../given.ts";
import { newOutput } from "../../../growth.ts";
import { asObject, asObjects, asText, type Json, parseObject } from "../../../json-machine.ts";
import type { FileFact, Signal, ToolEnd } from "../../../signal.ts";
import { callIn, spawnIn, type ToolCall } from "../../../tool.ts";
import { Files } from "../hosting/files.ts";
import type { Terminal } from "../hosting/terminal.ts";
import type { AcpProfile } from "../profile.ts";
import { type Scope, tagged } from "../updates/scope.ts";
import { commandLine, complaint, diffsIn, exitCodeOf, printed, textOf } from "./content.ts";
import { toolOf } from "./tools.ts";

export interface Call extends ToolCall {
  scope: Scope;
  title: string;
  acpKind: string;
  /** Text shown before the call ran: it describes, and is no output. */
  described: string;
  /** Output told so far. */
  told: string;
  diffs: Json[];
  paths: string[];
  /** Files the client wrote for it. */
  written: FileFact[];
  terminal: Terminal | undefined;
  /** Whether the agent adds notes of its own to calls: if so, it says there which are a subagent's. */
  isMarked: boolean;
  hasCommand: boolean;
  isSpawned: boolean;
  isReady: boolean;
  isRefused: boolean;
}

export interface CallsHost {
  profile: AcpProfile;
  cwd(): string | undefined;
  terminal(id: string): Terminal | undefined;
}

/**
 * Tool calls, told by any mix of `tool_call`, `tool_call_update` and permission requests, in any order. Each frame
 * replaces the fields it has. Input counts as complete once the call moves on or permission is asked.
 */
export class Calls {
  readonly #open = new Map<string, Call>();
  readonly #ended = new Set<string>();
  readonly #host: CallsHost;
  readonly files: Files;

  constructor(host: CallsHost) {
    this.#host = host;
    this.files = new Files(host.cwd);
  }

  find = (id: string): Call | undefined => this.#open.get(id);

  /** The call that a new terminal is of, unless another names it. */
  get runningShell(): Call | undefined {
    return this.running.findLast(({ toolKind, terminal }) => toolKind === "shell" && !terminal);
  }

  /** Calls that are under way. */
  get running(): Call[] {
    return [...this.#open.values()].filter(({ isRefused }) => !isRefused);
  }

  /** `undefined` for a call that has ended: it is told once. */
  update(frame: Json, source: "call" | "update" | "ask", scope: Scope): Signal[] | undefined {
    const id = asText(frame.toolCallId);
    if (!id || this.#ended.has(id)) return undefined;
    const signals: Signal[] = [];
    const call = this.#open.get(id) ?? this.#begin(id, frame, scope, signals);
    const status = asText(frame.status);
    const isOver = status === "completed" || status === "failed";
    const isNew = take(call, frame, source);
    if (!call.isReady && call.toolKind === "other") call.toolKind = toolOf(id, frame, this.#host.profile).toolKind;
    signals.push(...this.#attachNamed(call, frame));
    if (source === "ask" || isOver || status === "in_progress" || (source === "update" && isNew)) {
      signals.push(...this.#ready(call));
    }
    if (source !== "ask") signals.push(...this.#spawn(call), ...this.#run(call, frame, source, isOver));
    if (isOver) signals.push(...this.#command(call, true), ...this.#end(call, frame, status === "failed"));
    return signals;
  }

  refuse(call: Call): void {
    call.isRefused = true;
    call.scope.toolEnds(call.id);
  }

  /** Of a refused call nothing more may come; the model's next words show it. */
  settleRefused(scope: Scope): Signal[] {
    const refused = [...this.#open.values()].filter((call) => call.isRefused && call.scope === scope);
    return refused.flatMap((call) => this.#finish(call, { error: "Permission was refused.", outcome: "blocked" }));
  }

  clear(): void {
    for (const [id, call] of this.#open) {
      this.#ended.add(id);
      this.files.leave(call);
    }
    this.#open.clear();
  }

  #begin(id: string, frame: Json, scope: Scope, signals: Signal[]): Call {
    const { profile } = this.#host;
    const tool = toolOf(id, frame, profile);
    const call: Call = {
      ...{ ...tool, id, scope, title: "", acpKind: "other", input: undefined, described: "", told: "" },
      ...{ diffs: [], paths: [], written: [], terminal: undefined, isMarked: asObject(frame._meta) !== undefined },
      ...{ hasCommand: false, isSpawned: false, isReady: false, isRefused: false },
    };
    this.#open.set(id, call);
    signals.push(...scope.toolBegins(id, profile.laterInCall?.test(id)), { kind: "toolStart", id, ...tool });
    return call;
  }

  #ready(call: Call): Signal[] {
    if (call.isReady) return [];
    call.isReady = true;
    const { toolKind, title, paths } = call;
    const command = call.terminal?.command ?? (this.#host.profile.commandInTitle && toolKind === "shell" ? title : "");
    call.input ??= { ...(command ? { command } : { title }), ...(paths.length > 0 && { paths }) };
    return [{ kind: "toolReady", ...callIn(call) }, ...this.#command(call)];
  }

  /** The command, once it is known. A title may be one, or only words for people. */
  #command(call: Call, orTitle = false): Signal[] {
    const { id, toolKind, title, terminal, input } = call;
    if (call.hasCommand || (toolKind !== "shell" && !terminal)) return [];
    const command = terminal?.command || commandOf(input) || (orTitle ? title : "");
    const cwd = terminal?.cwd ?? asText(asObject(input)?.cwd) ?? this.#host.cwd();
    call.hasCommand = command !== "";
    return command === "" ? [] : [{ kind: "shell", id, command, ...given({ cwd }) }];
  }

  /** A subagent begins once nothing can refuse it. */
  #spawn(call: Call): Signal[] {
    if (call.toolKind !== "subagent" || call.isSpawned || !call.isReady || call.isRefused) return [];
    call.isSpawned = true;
    return [{ ...spawnIn(call, call.title), tracked: call.isMarked }];
  }

  #attachNamed(call: Call, frame: Json): Signal[] {
    const ids = asObjects(frame.content).map(({ terminalId }) => asText(terminalId) ?? "");
    const terminal = ids.map(this.#host.terminal).find((found) => found?.isUnclaimed);
    return terminal && !call.terminal ? this.attach(call, terminal) : [];
  }

  #run(call: Call, frame: Json, source: "call" | "update", isOver: boolean): Signal[] {
    if (call.terminal || call.isRefused || call.toolKind !== "shell" || source !== "update" || !call.isReady) return [];
    const { text, isExact } = printed(frame.rawOutput, frame.content);
    const cancelled = this.#host.profile.cancelled?.exec(text);
    if (cancelled) return [...this.#command(call, true), ...newOutput(call, cancelled.groups?.output ?? "")];
    // The last text may be a complaint, or carry remarks of the agent's after the output that was told.
    const isRemark = isOver && !isExact && (call.told !== "" || frame.status === "failed");
    if (text === call.described || isRemark) return [];
    return [...(text === "" ? [] : this.#command(call, true)), ...newOutput(call, text)];
  }

  /** The call's command runs in a terminal of the client's. */
  attach(call: Call, terminal: Terminal): Signal[] {
    call.terminal = terminal;
    if (!call.isReady) call.toolKind = "shell";
    const { id, scope } = call;
    return tagged([...this.#ready(call), ...this.#command(call), ...terminal.claim(id, scope.child)], scope);
  }

  #end(call: Call, frame: Json, isFailed: boolean): Signal[] {
    const { rawOutput, content }: Json = frame;
    const text = textOf(content);
    // A command that still runs in its terminal was sent to the background.
    const exitCode = exitCodeOf(rawOutput) ?? (call.terminal && (call.terminal.exitCode ?? -1));
    const ran = given({ exitCode });
    const isCancelled = this.#host.profile.cancelled?.test(text) ?? false;
    if (isFailed || isCancelled) {
      const outcome = call.isRefused ? "blocked" : isCancelled ? "cancelled" : "failed";
      const error = complaint(rawOutput, content);
      return this.#finish(call, { ...ran, error, outcome, ...(call.mcp && { protocol: false }) });
    }
    const shown = asObjects(content).filter(({ type }) => type === "content");
    const output = rawOutput || text || (shown.length > 0 ? shown : null);
    return this.#finish(call, { ...ran, output, files: this.files.of(call) }, text || printed(rawOutput, content).text);
  }

  #finish(call: Call, end: Omit<ToolEnd, "kind" | "id" | "name">, summary = ""): Signal[] {
    const { id, name, scope, isSpawned } = call;
    if (end.error !== undefined) this.files.leave(call);
    this.#open.delete(id);
    this.#ended.add(id);
    scope.toolEnds(id);
    const ended: Signal = { kind: "toolEnd", id, name, ...end };
    if (!isSpawned) return [ended];
    return [{ kind: "spawnEnd", id, ...(end.error === undefined ? { summary } : { error: end.error }) }, ended];
  }
}

/** Takes over what a frame says; returns whether it has new input, or output. */
function take(call: Call, frame: Json, source: "call" | "update" | "ask"): boolean {
  const { title, kind, rawInput, content, locations }: Json = frame;
  call.title = asText(title) || call.title;
  call.acpKind = asText(kind) || call.acpKind;
  // What is shown for permission may be made for people; the model's own input wins.
  const hasInput = asText(rawInput) || Object.keys(asObject(rawInput) ?? {}).length > 0;
  const isFirst = call.input === undefined;
  if (hasInput && !call.isReady && (source !== "ask" || isFirst)) call.input = rawInput;
  else if (hasInput && source === "ask" && call.toolKind === "shell" && commandOf(call.input) === "") {
    call.input = { ...asObject(call.input), ...asObject(rawInput) };
  }
  const text = textOf(content);
  if (source !== "update" || (hasInput && !call.isReady && isFirst)) call.described = text || call.described;
  if (source === "ask" && call.input === undefined) call.input = parseObject(text);
  const diffs = diffsIn(content);
  if (diffs.length > 0) call.diffs = diffs;
  const paths = asObjects(locations).flatMap(({ path }) => asText(path) ?? []);
  if (paths.length > 0) call.paths = paths;
  return Boolean(hasInput) || text !== "";
}

const commandOf = (input: unknown): string => commandLine(asObject(input)?.command);
