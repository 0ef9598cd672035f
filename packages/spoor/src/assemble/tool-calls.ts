import type { ToolKind } from "@spoor/protocol";
import type { McpTool, Signal, ToolEnd } from "../agents/signal.ts";
import type { Emitter } from "./emitter.ts";
import { emitFiles, emitResult } from "./tool-results.ts";

interface Call {
  name: string;
  kind: ToolKind | undefined;
  mcp: McpTool | undefined;
  input: string;
  /** The input, once it is complete. */
  given: unknown;
  started: boolean;
  ready: boolean;
  readyAt: number;
  command: { text: string; cwd: string } | undefined;
  running: boolean;
  /** Interaction ids of its open questions. */
  waiting: Set<string>;
  refused: boolean;
}

type Of<Kind extends Signal["kind"]> = Extract<Signal, { kind: Kind }>;
type CallStart = Pick<Of<"toolReady">, "id" | "name" | "toolKind" | "mcp">;

export interface CallsHost {
  emitter: Emitter;
  /** Ends messages and thoughts, and opens the turn and its tool phase. */
  begin(): void;
  /** Whether the input of calls is emitted in one piece. */
  isBuffered(): boolean;
  /** Whether the agent may ask for permission after a call is ready. */
  canAsk: boolean;
  /** Answers a question that the agent never reported as answered. */
  resolve(interactionId: string, granted: boolean): void;
  cwd: string;
}

/**
 * Tool calls, their commands and files. `shell_start` is emitted once the command may run: when the call is ready and the
 * agent cannot ask, when permission is given, or with the command's first output or end. A call that the agent reports
 * twice is emitted once.
 */
export class ToolCalls {
  readonly #open = new Map<string, Call>();
  readonly #ended = new Set<string>();
  /** Calls that a rule ended. The agent reports their end, too. */
  readonly #blocked = new Set<string>();
  readonly #host: CallsHost;

  constructor(host: CallsHost) {
    this.#host = host;
  }

  get isAnyOpen(): boolean {
    return this.#open.size > 0;
  }

  start({ id, name, toolKind, mcp, input }: Of<"toolStart">): void {
    if (this.#open.has(id) || this.#ended.has(id)) return;
    const call = this.#add({ id, name, ...(toolKind && { toolKind }), ...(mcp && { mcp }) });
    call.input = input ?? "";
    if (!this.#host.isBuffered()) this.#emitStart(id, call);
  }

  input({ id, delta }: Of<"toolInput">): void {
    const call = this.#open.get(id);
    if (!call || call.ready || delta === "") return;
    call.input += delta;
    if (this.#host.isBuffered() || call.mcp) return;
    this.#host.begin();
    this.#host.emitter.emit("tool_input_delta", { toolCallId: id, delta, inputAccumulated: call.input });
  }

  ready({ id, name, toolKind, mcp, input }: Of<"toolReady">): void {
    if (this.#ended.has(id)) return;
    const call = this.#open.get(id) ?? this.#add({ id, name, ...(toolKind && { toolKind }), ...(mcp && { mcp }) });
    if (call.ready) return;
    call.kind = toolKind ?? call.kind;
    call.mcp ??= call.started ? undefined : mcp;
    if (!call.started && call.input === "") call.input = JSON.stringify(input) ?? "";
    this.#emitReady(id, call, input);
  }

  shell({ id, command, cwd, runs }: Of<"shell">): void {
    const call = this.#open.get(id);
    if (!call || call.command) return;
    call.command = { text: command, cwd: cwd ?? this.#host.cwd };
    if (call.ready && (runs || !this.#host.canAsk)) this.#run(id, call);
  }

  output(signal: Of<"output">): void {
    const { id, stream, text } = signal;
    const call = this.#open.get(id);
    if (text === "") return;
    if (call) {
      this.#settle(call, true);
      this.#run(id, call);
    }
    if (!call?.running) {
      this.#host.emitter.emit("debug", { level: "verbose", message: JSON.stringify(signal) });
      return;
    }
    const type = stream === "stdout" ? "shell_stdout_delta" : "shell_stderr_delta";
    this.#host.emitter.emit(type, { delta: text, toolCallId: id });
  }

  /** Returns the open call whose input names this file, if the call may write. */
  writerOf(file: string): string | undefined {
    const { cwd } = this.#host;
    const wanted = inFolder(cwd, file);
    const names = ({ input, given }: Call) =>
      Object.values(Object(given ?? parsed(input))).some(
        (each) => typeof each === "string" && inFolder(cwd, each) === wanted,
      );
    const mayWrite = ({ kind, mcp }: Call) => !mcp && (kind === undefined || writing.has(kind));
    return [...this.#open].find(([, call]) => mayWrite(call) && names(call))?.[0];
  }

  /** Returns false if there is no such call, or if its command already runs. */
  ask(id: string, interactionId: string): boolean {
    const call = this.#open.get(id);
    if (!call || call.running) return false;
    call.waiting.add(interactionId);
    return true;
  }

  answered(id: string, interactionId: string, granted: boolean): void {
    const call = this.#open.get(id);
    if (!call?.waiting.delete(interactionId)) return;
    call.refused = !granted;
    if (granted) this.#run(id, call);
  }

  end(end: ToolEnd): void {
    if (this.#blocked.delete(end.id)) return;
    if (this.#ended.has(end.id)) {
      this.#host.emitter.emit("debug", { level: "info", message: `A second end of the call: ${JSON.stringify(end)}` });
      return;
    }
    const call = this.#open.get(end.id) ?? this.#add({ id: end.id, name: end.name ?? "unknown" });
    if (!call.ready) this.#emitReady(end.id, call, parsed(call.input));
    this.#host.begin();
    const failed = end.error !== undefined;
    this.#settle(call, !failed || (end.outcome !== "cancelled" && end.outcome !== "blocked"));
    this.#endCommand(end, call, failed);
    this.#open.delete(end.id);
    this.#ended.add(end.id);
    // Only rules block a call. One that was refused because somebody said no is cancelled.
    const told: ToolEnd = call.refused && end.outcome === "blocked" ? { ...end, outcome: "cancelled" } : end;
    emitResult(this.#host.emitter, told, {
      name: call.name,
      mcp: call.mcp,
      durationMs: () => this.#duration(end, call),
    });
    if (!failed) emitFiles(this.#host.emitter, end);
  }

  /** A rule ends the call before it begins. */
  block(id: string, reason: string): void {
    this.#open.get(id)?.waiting.clear();
    this.end({ kind: "toolEnd", id, error: reason, outcome: "blocked" });
    this.#blocked.add(id);
  }

  /** Cancels the open calls. A command that was never reported as running did not run. */
  close(why: string): void {
    for (const [id, call] of this.#open) {
      if (!call.running) call.command = undefined;
      this.end({ kind: "toolEnd", id, error: why, outcome: "cancelled" });
    }
  }

  /** Emits the starts of buffered calls, once the output of the model is complete. */
  flush(): void {
    for (const [id, call] of this.#open) if (!call.started) this.#emitStart(id, call);
  }

  #add({ id, name, toolKind, mcp }: CallStart): Call {
    const call: Call = {
      name,
      kind: toolKind,
      mcp,
      input: "",
      given: undefined,
      started: false,
      ready: false,
      readyAt: 0,
      command: undefined,
      running: false,
      waiting: new Set(),
      refused: false,
    };
    this.#open.set(id, call);
    return call;
  }

  #emitStart(id: string, call: Call): void {
    // MCP calls have no `tool_call_start`: their only start event is emitted when the input is complete.
    if (call.started || call.mcp) return;
    call.started = true;
    this.#host.begin();
    this.#host.emitter.emit("tool_call_start", {
      toolCallId: id,
      toolName: call.name,
      inputAccumulated: call.input,
      ...(call.kind && { toolKind: call.kind }),
    });
  }

  #emitReady(id: string, call: Call, input: unknown): void {
    this.#host.begin();
    this.#emitStart(id, call);
    call.ready = true;
    call.given = input;
    call.readyAt = this.#host.emitter.time;
    if (call.mcp) {
      const { server, tool } = call.mcp;
      this.#host.emitter.emit("mcp_tool_call_start", { toolCallId: id, server, toolName: tool, input: input ?? null });
    } else {
      const toolKind = call.kind && { toolKind: call.kind };
      this.#host.emitter.emit("tool_call_ready", {
        toolCallId: id,
        toolName: call.name,
        input: input ?? null,
        ...toolKind,
      });
    }
    if (!this.#host.canAsk) this.#run(id, call);
  }

  #run(id: string, call: Call): void {
    if (!call.command || call.running || !call.ready || call.mcp || call.refused || call.waiting.size > 0) return;
    call.running = true;
    this.#host.begin();
    this.#host.emitter.emit("shell_start", { command: call.command.text, cwd: call.command.cwd, toolCallId: id });
  }

  /** Emits the answers that the outcome of a call implies for its open questions. */
  #settle(call: Call, granted: boolean): void {
    for (const interactionId of [...call.waiting]) this.#host.resolve(interactionId, granted);
  }

  #endCommand(end: ToolEnd, call: Call, failed: boolean): void {
    if (!call.command) return;
    if (!failed || end.exitCode !== undefined || end.outcome !== "blocked") this.#run(end.id, call);
    if (!call.running) return;
    call.running = false;
    const exitCode = end.exitCode ?? (failed ? -1 : 0);
    this.#host.emitter.emit("shell_exit", { exitCode, durationMs: this.#duration(end, call), toolCallId: end.id });
  }

  #duration({ durationMs }: ToolEnd, call: Call): number {
    return Math.max(0, Math.round(durationMs ?? this.#host.emitter.time - call.readyAt));
  }
}

/** The path in the folder, if the file is in it. */
const inFolder = (folder: string, file: string): string =>
  file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : file.replace(/^\.\//, "");

const writing: ReadonlySet<ToolKind> = new Set<ToolKind>(["file_write", "edit", "multi_edit", "other"]);

function parsed(input: string): unknown {
  try {
    return JSON.parse(input === "" ? "{}" : input);
  } catch {
    return { raw: input };
  }
}
