import type { AgentEvent, AgentEventOf, CostRecord, ErrorCode } from "@spoor/protocol";
import { endedWith } from "../failures/ended-with.ts";
import { errorTable } from "../failures/error-table.ts";

export const exitReasons = [
  "completed",
  "interrupted",
  "aborted",
  "timeout",
  "inactivity",
  "turn_limit",
  "crashed",
  "killed",
  "failed",
  "incomplete",
] as const;
export type ExitReason = (typeof exitReasons)[number];

export interface RunResult {
  runId: string;
  agent: string;
  /** The model that was called first, else the one asked for. */
  model: string | undefined;
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
  error: { code: ErrorCode; message: string; recoverable: boolean } | undefined;
  /** Filled when the run was to collect them. */
  events: readonly AgentEvent[];
  tags: readonly string[];
}

export interface ResultOptions {
  runId: string;
  agent: string;
  model?: string;
  tags?: readonly string[];
  collectEvents?: boolean;
}

/** Adds up a run's result while its events pass. */
export class ResultBuilder {
  readonly #messages: { turn: number; text: string }[] = [];
  readonly #retried = new Set<number>();
  #turns = 0;
  #isInTurn = false;
  #sessionId: string | undefined;
  #cost: CostRecord | undefined;
  #tokens: RunResult["tokens"];
  #exitReason: ExitReason = "completed";
  #hasEnded = false;
  #error: ReturnType<typeof errorOf>;
  #model: string | undefined;
  readonly #events: AgentEvent[] = [];
  readonly #options: ResultOptions;
  #first = 0;
  #last = 0;

  constructor(options: ResultOptions) {
    this.#options = options;
  }

  /** Events of subagents' runs are collected too, and count for nothing else. */
  add(event: AgentEvent): void {
    if (this.#options.collectEvents) this.#events.push(event);
    if (event.runId !== this.#options.runId) return;
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
      case "session_end":
        this.#hasEnded = true;
        break;
      case "turn_start":
        this.#turns += 1;
        this.#isInTurn = true;
        this.#model ??= event.model;
        break;
      case "message_stop":
        this.#messages.push({ turn: this.#turns, text: event.text });
        break;
      case "retry":
        // Between turns there is nothing that is said again.
        if (this.#isInTurn) this.#retried.add(this.#turns);
        break;
      case "turn_end":
        this.#isInTurn = false;
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

  /** `sessionId` is the agent's own name of the session it ended in, where that is another than the run began with. */
  build(exit: { code: number | null; signal: string | null }, sessionId = this.#sessionId): RunResult {
    const { runId, agent, model, tags = [] } = this.#options;
    const said = this.#messages.filter(({ turn }) => !this.#retried.has(turn));
    const exitReason = this.#exitReason === "completed" && !this.#hasEnded ? "incomplete" : this.#exitReason;
    const error = exitReason === "incomplete" ? noEnd : this.#error;
    return {
      runId,
      agent,
      model: this.#model ?? model,
      sessionId,
      // Nobody here ended it: the system did, or somebody else.
      exitReason: exitReason === "crashed" && exit.signal !== null ? "killed" : exitReason,
      text: said.map(({ text }) => text).join("\n\n"),
      turnCount: this.#turns,
      cost: this.#cost,
      tokens: this.#tokens,
      durationMs: this.#last - this.#first,
      exitCode: exit.code,
      signal: exit.signal,
      error: error && { ...error, recoverable: errorTable[error.code].recoverable },
      events: this.#events,
      tags,
    };
  }
}

/** A run whose end was never told is no success, whatever was told of it. */
const noEnd = { code: "INTERNAL", message: "The events stopped before the run ended." } as const;

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

function errorOf(event: AgentEvent): { code: ErrorCode; message: string } | undefined {
  switch (event.type) {
    case "auth_error":
      return { code: "AUTH_ERROR", message: `${event.message} ${event.guidance}`.trim() };
    case "rate_limit_error":
      return { code: "RATE_LIMITED", message: event.message };
    case "context_exceeded":
      return { code: "CONTEXT_EXCEEDED", message: `${event.usedTokens} of ${event.maxTokens} tokens.` };
    case "crash":
      return { code: "AGENT_CRASH", message: crashWords(event) };
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

/** The agent's last words tell most, unless it left as if all were well. */
function crashWords({ exitCode, stderr }: AgentEventOf<"crash">): string {
  const lastWords = stderr.trim();
  if (lastWords === "") return endedWith(exitCode);
  return exitCode === 0 ? `${endedWith(exitCode)}\nIts last words were:\n${lastWords}` : lastWords;
}
