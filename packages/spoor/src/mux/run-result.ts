import type { AgentEvent, CostRecord, ErrorCode } from "@spoor/protocol";

export const exitReasons = [
  "completed",
  "interrupted",
  "aborted",
  "timeout",
  "inactivity",
  "turn_limit",
  "crashed",
  "failed",
] as const;
export type ExitReason = (typeof exitReasons)[number];

export interface RunResult {
  runId: string;
  agent: string;
  sessionId: string | undefined;
  exitReason: ExitReason;
  /** What the agent said, turns that were tried again left out. */
  text: string;
  turnCount: number;
  cost: CostRecord | undefined;
  tokens: { input: number; output: number; thinking: number; cached: number } | undefined;
  durationMs: number;
  exitCode: number | null;
  signal: string | null;
  error: { code: ErrorCode; message: string } | undefined;
}

/** Adds up a run's result while its events pass. */
export class ResultBuilder {
  readonly #messages: { turn: number; text: string }[] = [];
  readonly #retried = new Set<number>();
  #turns = 0;
  #sessionId: string | undefined;
  #cost: CostRecord | undefined;
  #tokens: RunResult["tokens"];
  #exitReason: ExitReason = "completed";
  #error: RunResult["error"];
  #first = 0;
  #last = 0;

  add(event: AgentEvent): void {
    this.#first ||= event.timestamp;
    this.#last = event.timestamp;
    const reason = reasonOf(event);
    if (reason) {
      this.#exitReason = reason;
      this.#error = errorOf(event);
    }
    switch (event.type) {
      case "session_start":
        this.#sessionId = event.sessionId;
        break;
      case "turn_start":
        this.#turns += 1;
        break;
      case "message_stop":
        this.#messages.push({ turn: this.#turns, text: event.text });
        break;
      case "retry":
        this.#retried.add(this.#turns);
        break;
      case "cost":
        this.#cost = event.cost;
        break;
      case "token_usage":
        this.#tokens = {
          input: (this.#tokens?.input ?? 0) + event.inputTokens,
          output: (this.#tokens?.output ?? 0) + event.outputTokens,
          thinking: (this.#tokens?.thinking ?? 0) + (event.thinkingTokens ?? 0),
          cached: (this.#tokens?.cached ?? 0) + (event.cachedTokens ?? 0),
        };
        break;
    }
  }

  build(runId: string, agent: string, exit: { code: number | null; signal: string | null }): RunResult {
    const said = this.#messages.filter(({ turn }) => !this.#retried.has(turn));
    return {
      runId,
      agent,
      sessionId: this.#sessionId,
      exitReason: this.#exitReason,
      text: said.map(({ text }) => text).join("\n\n"),
      turnCount: this.#turns,
      cost: this.#cost,
      tokens: this.#tokens,
      durationMs: this.#last - this.#first,
      exitCode: exit.code,
      signal: exit.signal,
      error: this.#error,
    };
  }
}

function reasonOf(event: AgentEvent): ExitReason | undefined {
  switch (event.type) {
    case "interrupted":
    case "aborted":
    case "turn_limit":
      return event.type;
    case "timeout":
      return event.kind === "run" ? "timeout" : "inactivity";
    case "crash":
      return "crashed";
    case "auth_error":
    case "context_exceeded":
    case "rate_limit_error":
      return "failed";
    case "error":
      return event.recoverable ? undefined : "failed";
    case "retry":
      return "completed";
    default:
      return undefined;
  }
}

function errorOf(event: AgentEvent): RunResult["error"] {
  switch (event.type) {
    case "auth_error":
      return { code: "AUTH_ERROR", message: `${event.message} ${event.guidance}`.trim() };
    case "rate_limit_error":
      return { code: "RATE_LIMITED", message: event.message };
    case "context_exceeded":
      return { code: "CONTEXT_EXCEEDED", message: `${event.usedTokens} of ${event.maxTokens} tokens.` };
    case "crash":
      return { code: "AGENT_CRASH", message: event.stderr.trim() || `The agent ended with code ${event.exitCode}.` };
    case "error":
      return { code: event.code, message: event.message };
    case "timeout":
      return {
        code: event.kind === "run" ? "TIMEOUT" : "INACTIVITY_TIMEOUT",
        message: `The ${event.kind} limit was reached.`,
      };
    default:
      return undefined;
  }
}
