import { Count, Flag, optional, type Static, Text, Type } from "../schema.ts";
import { agentEvent } from "./base.ts";
import { ErrorCode } from "./error-code.ts";

const message = Text("What went wrong, as a sentence for people.");

export const AuthErrorEvent = agentEvent(
  "auth_error",
  "The agent is not logged in, or its key was refused. Terminal.",
  {
    message,
    guidance: Text("How to log in, or what else to do."),
  },
);
export type AuthErrorEvent = Static<typeof AuthErrorEvent>;

export const RateLimitErrorEvent = agentEvent(
  "rate_limit_error",
  "The model's service refused a call because of a rate limit. Ends the run only when no retry follows.",
  { message, retryAfterMs: optional(Count("How long the service asks to wait, in milliseconds.")) },
);
export type RateLimitErrorEvent = Static<typeof RateLimitErrorEvent>;

export const ContextExceededEvent = agentEvent("context_exceeded", "The context window is full. Terminal.", {
  usedTokens: Count("Tokens asked for; 0 when unknown."),
  maxTokens: Count("Size of the window; 0 when unknown."),
});
export type ContextExceededEvent = Static<typeof ContextExceededEvent>;

export const CrashEvent = agentEvent("crash", "The agent's process died. Terminal.", {
  exitCode: Type.Integer({ description: "Its exit code; -1 when a signal ended it or it never started." }),
  stderr: Text("Its last output on standard error."),
});
export type CrashEvent = Static<typeof CrashEvent>;

export const ErrorEvent = agentEvent("error", "Something failed. Terminal unless recoverable.", {
  code: ErrorCode,
  message,
  recoverable: Flag("Whether the run can continue."),
});
export type ErrorEvent = Static<typeof ErrorEvent>;
