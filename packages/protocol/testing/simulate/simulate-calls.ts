import { toolKinds } from "../../src/agent-events/tool.ts";
import type { Stage } from "./stage.ts";

interface Call {
  name: string;
  input: string;
  ready: boolean;
  waiting: string | undefined;
  refused: boolean;
  shell: boolean;
  /** Whether a command was run. Permission is requested before that. */
  ran?: true;
}

/** The tool calls of a simulated turn: they run concurrently, ask for permission, run commands, change files and end. */
export class SimulatedCalls {
  readonly #stage: Stage;
  readonly #open = new Map<string, Call>();
  /** Calls of the turn that are ready. */
  readonly #ready: string[] = [];

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  get ids(): string[] {
    return [...this.#open.keys()];
  }

  /** An ended call of this turn, whose file events may still follow. */
  get ended(): string | undefined {
    return this.#ready.find((id) => !this.#open.has(id));
  }

  start(): void {
    const { id, name, input } = {
      id: this.#stage.id("call"),
      name: this.#stage.one(["Bash", "Edit", "Grep"]),
      input: this.#stage.one(["", '{"a":', "{}"]),
    };
    this.#open.set(id, { name, input, ready: false, waiting: undefined, refused: false, shell: false });
    const toolKind = this.#stage.maybe("toolKind", this.#stage.one(toolKinds));
    this.#stage.emit("tool_call_start", { toolCallId: id, toolName: name, inputAccumulated: input, ...toolKind });
  }

  /** Advances a call by one step. When the tape is over, the call moves to its end. */
  advance(id: string): void {
    const call = this.#open.get(id);
    if (!call) return;
    if (!call.ready) this.#write(id, call);
    else if (call.waiting !== undefined) this.#answer(call.waiting, call);
    else if (call.shell) this.#run(id, call);
    else this.#act(id, call);
  }

  /** Ends every call at the end of the turn. */
  finish(): void {
    for (const id of this.ids) while (this.#open.has(id)) this.advance(id);
    this.#ready.length = 0;
  }

  touchFile(toolCallId: string | undefined): void {
    const at = { path: "src/a.ts", ...(toolCallId === undefined ? {} : { toolCallId }) };
    const byteCount = this.#stage.pick(999);
    this.#stage.play([
      () => this.#stage.emit("file_read", at),
      () => this.#stage.emit("file_write", { ...at, byteCount }),
      () => this.#stage.emit("file_create", { ...at, byteCount }),
      () => this.#stage.emit("file_delete", at),
      () => this.#stage.emit("file_patch", { ...at, diff: this.#stage.word() }),
    ]);
  }

  #write(id: string, call: Call): void {
    if (this.#stage.hasTape && this.#stage.pick(2) === 0) {
      const delta = this.#stage.word();
      call.input += delta;
      this.#stage.emit("tool_input_delta", { toolCallId: id, delta, inputAccumulated: call.input });
      return;
    }
    call.ready = true;
    this.#ready.push(id);
    const knownFields = { pattern: "x", url: "u", query: "q", todos: [{ content: "c", status: "done" }] };
    const input = this.#stage.one<unknown>([knownFields, null, "s", 4]);
    const toolKind = this.#stage.maybe("toolKind", this.#stage.one(toolKinds));
    this.#stage.emit("tool_call_ready", { toolCallId: id, toolName: call.name, input, ...toolKind });
  }

  #act(id: string, call: Call): void {
    const next = this.#stage.hasTape && !call.refused ? this.#stage.pick(6) : 5;
    if (next === 0 && !call.ran) this.#ask(id, call);
    else if (next === 1) {
      call.shell = true;
      call.ran = true;
      this.#stage.emit("shell_start", { command: this.#stage.word(), cwd: "/tmp", toolCallId: id });
    } else if (next === 2) this.touchFile(id);
    else this.#end(id, call);
  }

  #ask(id: string, call: Call): void {
    call.waiting = this.#stage.id("appr");
    this.#stage.emit("approval_request", {
      interactionId: call.waiting,
      action: this.#stage.word(),
      detail: this.#stage.word(),
      ...this.#stage.maybe("toolName", call.name),
      riskLevel: this.#stage.one(["low", "medium", "high"]),
      toolCallId: id,
    });
  }

  #answer(interactionId: string, call: Call): void {
    call.waiting = undefined;
    call.refused = this.#stage.pick(2) === 1;
    if (!call.refused) this.#stage.emit("approval_granted", { interactionId });
    else this.#stage.emit("approval_denied", { interactionId, ...this.#stage.maybe("reason", this.#stage.word()) });
  }

  #run(id: string, call: Call): void {
    const next = this.#stage.hasTape ? this.#stage.pick(3) : 2;
    const output = { delta: next < 2 ? this.#stage.word() : "", toolCallId: id };
    if (next === 0) this.#stage.emit("shell_stdout_delta", output);
    else if (next === 1) this.#stage.emit("shell_stderr_delta", output);
    else {
      call.shell = false;
      const durationMs = this.#stage.pick(999);
      this.#stage.emit("shell_exit", { exitCode: this.#stage.pick(3) - 1, durationMs, toolCallId: id });
    }
  }

  #end(id: string, call: Call): void {
    this.#open.delete(id);
    const of = { toolCallId: id, toolName: call.name };
    if (!call.refused && this.#stage.pick(2) === 0) {
      const output = this.#stage.one<unknown>([this.#stage.word(), { files: 2 }, null]);
      this.#stage.emit("tool_result", { ...of, output, durationMs: this.#stage.pick(9999) });
    } else {
      const outcome = this.#stage.one(["failed", "cancelled", "timed_out", "blocked"] as const);
      this.#stage.emit("tool_error", { ...of, error: this.#stage.word(), ...this.#stage.maybe("outcome", outcome) });
    }
  }
}
