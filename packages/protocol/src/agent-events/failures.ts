import type { AgentEvent, AgentEventOf } from "./catalog.ts";
import type { ErrorCode } from "./error-code.ts";

/** How a run ended. `killed` is a crash caused by a signal that Spoor did not send. */
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

/** Codes that `error` events and thrown errors share, each with whether the same call may succeed later. */
const errorCodes: Readonly<Record<ErrorCode, { retriable: boolean }>> = {
  CAPABILITY_ERROR: { retriable: false },
  VALIDATION_ERROR: { retriable: false },
  AUTH_ERROR: { retriable: false },
  AGENT_NOT_FOUND: { retriable: false },
  AGENT_NOT_INSTALLED: { retriable: false },
  AGENT_CRASH: { retriable: true },
  SPAWN_ERROR: { retriable: false },
  TIMEOUT: { retriable: true },
  INACTIVITY_TIMEOUT: { retriable: true },
  PARSE_ERROR: { retriable: true },
  CONFIG_ERROR: { retriable: false },
  CONFIG_LOCK_ERROR: { retriable: true },
  SESSION_NOT_FOUND: { retriable: false },
  PROFILE_NOT_FOUND: { retriable: false },
  PLUGIN_ERROR: { retriable: false },
  RATE_LIMITED: { retriable: true },
  UPSTREAM_ERROR: { retriable: true },
  CONTEXT_EXCEEDED: { retriable: false },
  BUDGET_EXCEEDED: { retriable: false },
  APPROVAL_REJECTED: { retriable: false },
  APPROVAL_TIMED_OUT: { retriable: true },
  ABORTED: { retriable: false },
  RUN_NOT_ACTIVE: { retriable: false },
  STDIN_NOT_AVAILABLE: { retriable: false },
  NO_PENDING_INTERACTION: { retriable: false },
  INTERACTION_NOT_FOUND: { retriable: false },
  INVALID_STATE_TRANSITION: { retriable: false },
  PTY_NOT_AVAILABLE: { retriable: false },
  INTERNAL: { retriable: false },
};

/** Codes that only the end of a run can have, each with the nearest code that an `error` event can carry. */
const endCodes = {
  INTERRUPTED: { retriable: false, nearest: "ABORTED" },
  TURN_LIMIT: { retriable: true, nearest: "INTERNAL" },
  INCOMPLETE: { retriable: true, nearest: "INTERNAL" },
  PROCESS_GONE: { retriable: true, nearest: "INTERNAL" },
  OUTCOME_UNKNOWN: { retriable: false, nearest: "INTERNAL" },
  APPROVAL_NEEDED: { retriable: false, nearest: "APPROVAL_REJECTED" },
} as const satisfies Readonly<Record<string, { retriable: boolean; nearest: ErrorCode }>>;

/** Every code a run can fail with. The log stores it in lower case. */
export type FailureCode = ErrorCode | keyof typeof endCodes;

/** Whether a text is a code that an `error` event can have. */
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorCodes, code);

/** Returns the code that an `error` event carries for this failure. */
export const asErrorCode = (code: FailureCode): ErrorCode => (isErrorCode(code) ? code : endCodes[code].nearest);

/** Whether a retry can help after a failure with this code. */
export const isRetriable = (code: FailureCode): boolean =>
  isErrorCode(code) ? errorCodes[code].retriable : endCodes[code].retriable;

export const retriableErrorCodes: readonly ErrorCode[] = Object.keys(errorCodes).filter(
  (code): code is ErrorCode => isErrorCode(code) && errorCodes[code].retriable,
);

/** Why a run did not complete. */
export interface RunFailure {
  code: FailureCode;
  exitReason: Exclude<ExitReason, "completed" | "killed">;
  /** One sentence that says what happened. */
  message: string;
  /** Further text for people: how to fix the failure, or the agent's last output. */
  detail?: string;
}

type FailureType =
  | ("interrupted" | "aborted" | "timeout" | "turn_limit")
  | ("auth_error" | "rate_limit_error" | "context_exceeded" | "crash" | "error");

/** The fields of a failure event that decide how the failure is described. */
export type FailureFacts = {
  [Type in FailureType]: Omit<AgentEventOf<Type>, "runId" | "agent" | "timestamp" | "raw">;
}[FailureType];

/** Describes the event that ended a run. */
export function runFailureOf(event: FailureFacts): RunFailure {
  const describe = byEvent[event.type] as (facts: FailureFacts) => RunFailure;
  return describe(event);
}

/** Whether this event ends the run. A `rate_limit_error` does so only when no retry follows it. */
export function isFailure(event: AgentEvent): event is Extract<AgentEvent, { type: FailureType }> {
  return Object.hasOwn(byEvent, event.type) && !(event.type === "error" && event.recoverable);
}

/** The table: what each event that can end a run means. */
const byEvent: {
  readonly [Type in FailureType]: (facts: Extract<FailureFacts, { type: Type }>) => RunFailure;
} = {
  interrupted: () => ({ code: "INTERRUPTED", exitReason: "interrupted", message: "The run was interrupted." }),
  aborted: () => ({ code: "ABORTED", exitReason: "aborted", message: "The run was aborted." }),
  timeout: ({ kind }) => timeouts[kind],
  turn_limit: ({ maxTurns }) => ({ code: "TURN_LIMIT", exitReason: "turn_limit", message: turnLimit(maxTurns) }),
  auth_error: ({ message, guidance }) => ({
    ...{ code: "AUTH_ERROR", exitReason: "failed", message },
    ...(guidance.trim() !== "" && { detail: guidance }),
  }),
  rate_limit_error: ({ message }) => ({ code: "RATE_LIMITED", exitReason: "failed", message }),
  context_exceeded: (facts) => ({ code: "CONTEXT_EXCEEDED", exitReason: "failed", message: contextExceeded(facts) }),
  crash: (facts) => ({ code: "AGENT_CRASH", exitReason: "crashed", ...crash(facts) }),
  error: ({ code, message }) => ({ code, exitReason: "failed", message }),
};

const timeouts: Readonly<Record<"run" | "inactivity", RunFailure>> = {
  run: { code: "TIMEOUT", exitReason: "timeout", message: "The run limit was reached." },
  inactivity: { code: "INACTIVITY_TIMEOUT", exitReason: "inactivity", message: "The inactivity limit was reached." },
};

/** The run's events stopped without `session_end` while its recorder was still alive. */
export const incompleteRun: RunFailure = {
  code: "INCOMPLETE",
  exitReason: "incomplete",
  message: "The events stopped before the run ended.",
};

/** The process that recorded the run died. */
export const lostRun: RunFailure = {
  code: "PROCESS_GONE",
  exitReason: "incomplete",
  message: "The process that ran the agent is gone.",
};

/** Follows a run's events and returns why it did not complete, or undefined when it did. */
export function createFailureTracker(): { add(event: AgentEvent): void; failure(): RunFailure | undefined } {
  let last: FailureFacts | undefined;
  return {
    add(event) {
      if (isFailure(event)) last = event;
      else if (event.type === "retry" && last?.type === "rate_limit_error") last = undefined;
    },
    failure: () => last && runFailureOf(last),
  };
}

/** A limit of 0 turns means that the limit is unknown. */
function turnLimit(maxTurns: number): string {
  if (maxTurns === 0) return "The turn limit was reached.";
  return `The limit of ${maxTurns} ${maxTurns === 1 ? "turn" : "turns"} was reached.`;
}

/** Sizes of 0 tokens are unknown. */
function contextExceeded({ usedTokens, maxTokens }: { usedTokens: number; maxTokens: number }): string {
  if (usedTokens === 0 || maxTokens === 0) return "The context window is full.";
  return `The context window is full: ${usedTokens} of ${maxTokens} tokens.`;
}

/**
 * An exit code of -1 means that there was none: a signal ended the process, or it never started and `stderr` holds our
 * own error message. An exit code of 0 means that the output stopped before the agent reported its end.
 */
function crash({ exitCode, stderr }: { exitCode: number; stderr: string }): { message: string; detail?: string } {
  const output = stderr.trim();
  const lastLine = output.split("\n").at(-1) ?? "";
  const message = exitCode === -1 && lastLine !== "" ? `The agent's process failed: ${lastLine}` : crashed(exitCode);
  const isInMessage = output === "" || (exitCode === -1 && output === lastLine);
  return { message, ...(!isInMessage && { detail: `The agent's last output on stderr was:\n${output}` }) };
}

function crashed(exitCode: number): string {
  if (exitCode === 0) return OUTPUT_CUT;
  return exitCode === -1
    ? "The agent's process ended before it was done."
    : `The agent's process ended with code ${exitCode}.`;
}

const OUTPUT_CUT =
  "The agent's output was cut: its process exited with code 0 before it said that it was done. Part of its work may be missing; run it again.";
