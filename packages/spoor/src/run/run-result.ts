import type { AgentEvent, CostRecord } from "@spoor/protocol";
import {
  createFailureTracker,
  type ExitReason,
  type FailureCode,
  incompleteRun,
  isRetriable,
  type RunFailure,
} from "@spoor/protocol/write";
import { ResultText } from "./result-text.ts";

/**
 * How a run ended, and what it used.
 *
 * @example
 * const { exitReason, text, cost, error } = await client.run({ agent: "claude", prompt: "hello" });
 * console.log(error ? error.message : text, exitReason, cost?.totalUsd);
 */
export interface RunResult {
  runId: string;
  agent: string;
  /** The model that was called first, or the requested one if none was called. */
  model: string | undefined;
  sessionId: string | undefined;
  exitReason: ExitReason;
  /** The agent's messages, without those of turns that were retried. Only the last 16 Mi characters are kept. */
  text: string;
  /** How many characters are missing at the start of `text`; absent if none are missing. */
  textCut?: number;
  turnCount: number;
  cost: CostRecord | undefined;
  tokens: { input: number; output: number; thinking: number; cached: number } | undefined;
  durationMs: number;
  exitCode: number | null;
  signal: string | null;
  /** Why the run failed. A run that somebody interrupted or aborted has none. */
  error: RunError | undefined;
  /** All events, if the run was started with `collectEvents`; else empty. */
  events: readonly AgentEvent[];
  tags: readonly string[];
}

/** Why a run failed. */
export interface RunError {
  /** The log stores the same code in lower case. */
  code: FailureCode;
  /** One sentence that says what happened; the log stores the same sentence. */
  message: string;
  /** How to fix it, or the agent's last output. */
  detail?: string;
  /** Whether trying again without any change can help. */
  recoverable: boolean;
}

export interface ResultOptions {
  runId: string;
  agent: string;
  model?: string;
  tags?: readonly string[];
  collectEvents?: boolean;
}

/** Builds the result of a run from its events. */
export class ResultBuilder {
  readonly #text = new ResultText();
  #turns = 0;
  #isInTurn = false;
  #sessionId: string | undefined;
  #cost: CostRecord | undefined;
  #tokens: RunResult["tokens"];
  readonly #failures = createFailureTracker();
  #hasEnded = false;
  #model: string | undefined;
  readonly #events: AgentEvent[] = [];
  readonly #options: ResultOptions;
  #first = 0;
  #last = 0;

  constructor(options: ResultOptions) {
    this.#options = options;
  }

  /** Adds an event. Events of subagents are only collected and do not change the rest of the result. */
  add(event: AgentEvent): void {
    if (this.#options.collectEvents) this.#events.push(event);
    if (event.runId !== this.#options.runId) return;
    this.#first ||= event.timestamp;
    this.#last = event.timestamp;
    this.#failures.add(event);
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
        this.#text.add(this.#turns, event.text);
        break;
      case "retry":
        // A retry between turns repeats no message.
        if (this.#isInTurn) this.#text.retry(this.#turns);
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

  /** `sessionId` is the agent's own id of the session in which the run ended, if a retry opened another one. */
  build(exit: { code: number | null; signal: string | null }, sessionId = this.#sessionId): RunResult {
    const { runId, agent, model, tags = [] } = this.#options;
    const { text, cut } = this.#text.read();
    const failure = this.#failures.failure() ?? (this.#hasEnded ? undefined : incompleteRun);
    return {
      runId,
      agent,
      model: this.#model ?? model,
      sessionId,
      exitReason: exitReasonOf(failure, exit.signal),
      text,
      ...(cut > 0 && { textCut: cut }),
      turnCount: this.#turns,
      cost: this.#cost,
      tokens: this.#tokens,
      durationMs: this.#last - this.#first,
      exitCode: exit.code,
      signal: exit.signal,
      error: errorOf(failure),
      events: this.#events,
      tags,
    };
  }
}

function exitReasonOf(failure: RunFailure | undefined, signal: string | null): ExitReason {
  // Spoor's own signals end a run as aborted or timed out, so this one came from the system or from another program.
  if (failure?.exitReason === "crashed" && signal !== null) return "killed";
  return failure?.exitReason ?? "completed";
}

function errorOf(failure: RunFailure | undefined): RunError | undefined {
  if (!failure || failure.exitReason === "interrupted" || failure.exitReason === "aborted") return undefined;
  const { code, message, detail } = failure;
  return { code, message, ...(detail !== undefined && { detail }), recoverable: isRetriable(code) };
}
