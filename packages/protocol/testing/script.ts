import type { AgentEvent, AgentEventOf, AgentEventTypeLiteral } from "../src/agent-events/catalog.ts";
import type { CostRecord } from "../src/agent-events/cost-record.ts";
import type { ToolKind } from "../src/agent-events/tool.ts";

type Fields<T extends AgentEventTypeLiteral> = Omit<AgentEventOf<T>, "type" | "runId" | "agent" | "timestamp">;

export interface ScriptOptions {
  runId?: string;
  agent?: string;
  sessionId?: string;
  startAt?: number;
}

export interface ToolScript {
  id: string;
  name: string;
  kind?: ToolKind;
  input: unknown;
  /** The pieces in which the input arrives; without pieces it is complete at the start. */
  pieces?: string[];
}

/**
 * Builds the events of a run step by step: `script.message("Hello")`, `script.tool(…)`. It numbers turns and steps, keeps
 * the clock and accumulates texts. It does not enforce the contract, so tests can build broken runs.
 */
export class Script {
  readonly events: AgentEvent[] = [];
  readonly #base: { runId: string; agent: string };
  readonly #sessionId: string;
  #time: number;
  #turn = -1;
  #step = -1;

  constructor({
    runId = "01K9ZC0000SP00R00000000000",
    agent = "claude",
    sessionId = "5f2c1c1e-0000-4000-8000-000000000001",
    startAt = Date.UTC(2026, 10, 2, 9, 0, 0),
  }: ScriptOptions = {}) {
    this.#base = { runId, agent };
    this.#sessionId = sessionId;
    this.#time = startAt;
  }

  /** Lets time pass before the next event. */
  wait(ms: number): this {
    this.#time += ms;
    return this;
  }

  emit<T extends AgentEventTypeLiteral>(type: T, fields: Fields<T>): this {
    this.events.push({ type, ...this.#base, timestamp: this.#time, ...fields } as unknown as AgentEvent);
    return this.wait(1);
  }

  begin(fields: Partial<Fields<"session_start">> = {}): this {
    return this.emit("session_start", { sessionId: this.#sessionId, resumed: false, ...fields });
  }

  resume(priorTurnCount: number): this {
    return this.begin({ resumed: true }).emit("session_resume", { sessionId: this.#sessionId, priorTurnCount });
  }

  fork(forkedFrom: string): this {
    return this.begin({ forkedFrom }).emit("session_fork", { sessionId: this.#sessionId, forkedFrom });
  }

  checkpoint(checkpointId: string): this {
    return this.emit("session_checkpoint", { sessionId: this.#sessionId, checkpointId });
  }

  turn(fields: Partial<Fields<"turn_start">> = {}): this {
    this.#turn += 1;
    this.#step = -1;
    return this.emit("turn_start", { turnIndex: this.#turn, ...fields });
  }

  endTurn(fields: Partial<Fields<"turn_end">> = {}): this {
    return this.emit("turn_end", { turnIndex: this.#turn, ...fields });
  }

  step(stepType: string): this {
    this.#step += 1;
    return this.emit("step_start", { turnIndex: this.#turn, stepIndex: this.#step, stepType });
  }

  endStep(): this {
    return this.emit("step_end", { turnIndex: this.#turn, stepIndex: this.#step });
  }

  message(...pieces: string[]): this {
    this.emit("message_start", {});
    this.#pieces(pieces, (delta, accumulated) => this.emit("text_delta", { delta, accumulated }));
    return this.emit("message_stop", { text: pieces.join("") });
  }

  thinking(...pieces: string[]): this {
    this.emit("thinking_start", {});
    this.#pieces(pieces, (delta, accumulated) => this.emit("thinking_delta", { delta, accumulated }));
    return this.emit("thinking_stop", { thinking: pieces.join("") });
  }

  /** A call up to the point where it may run. */
  tool({ id, name, kind, input, pieces = [] }: ToolScript): this {
    const call = { toolCallId: id, toolName: name, ...(kind && { toolKind: kind }) };
    this.emit("tool_call_start", { ...call, inputAccumulated: pieces.length > 0 ? "" : JSON.stringify(input) });
    this.#pieces(pieces, (delta, inputAccumulated) =>
      this.emit("tool_input_delta", { toolCallId: id, delta, inputAccumulated }),
    );
    return this.emit("tool_call_ready", { ...call, input });
  }

  result(id: string, name: string, output: unknown, durationMs = 12): this {
    return this.emit("tool_result", { toolCallId: id, toolName: name, output, durationMs });
  }

  shell(id: string, command: string, output: { stdout?: string; stderr?: string; exitCode?: number } = {}): this {
    this.emit("shell_start", { command, cwd: "/home/dev/app", toolCallId: id });
    if (output.stdout) this.emit("shell_stdout_delta", { delta: output.stdout, toolCallId: id });
    if (output.stderr) this.emit("shell_stderr_delta", { delta: output.stderr, toolCallId: id });
    return this.emit("shell_exit", { exitCode: output.exitCode ?? 0, durationMs: 40, toolCallId: id });
  }

  end(cost?: CostRecord, priorTurns = 0): this {
    return this.emit("session_end", {
      sessionId: this.#sessionId,
      turnCount: priorTurns + this.#turn + 1,
      ...(cost && { cost }),
    });
  }

  #pieces(pieces: string[], write: (piece: string, sum: string) => void): void {
    let sum = "";
    for (const piece of pieces) {
      sum += piece;
      write(piece, sum);
    }
  }
}
