import { oneOf, type Static } from "../schema.ts";

/** Machine-readable codes of failures, shared by `error` events and thrown errors. */
export const ErrorCode = oneOf(
  [
    "CAPABILITY_ERROR",
    "VALIDATION_ERROR",
    "AUTH_ERROR",
    "AGENT_NOT_FOUND",
    "AGENT_NOT_INSTALLED",
    "AGENT_CRASH",
    "SPAWN_ERROR",
    "TIMEOUT",
    "INACTIVITY_TIMEOUT",
    "PARSE_ERROR",
    "CONFIG_ERROR",
    "CONFIG_LOCK_ERROR",
    "SESSION_NOT_FOUND",
    "PROFILE_NOT_FOUND",
    "PLUGIN_ERROR",
    "RATE_LIMITED",
    "UPSTREAM_ERROR",
    "CONTEXT_EXCEEDED",
    "BUDGET_EXCEEDED",
    "APPROVAL_REJECTED",
    "APPROVAL_TIMED_OUT",
    "ABORTED",
    "RUN_NOT_ACTIVE",
    "STDIN_NOT_AVAILABLE",
    "NO_PENDING_INTERACTION",
    "INTERACTION_NOT_FOUND",
    "INVALID_STATE_TRANSITION",
    "PTY_NOT_AVAILABLE",
    "INTERNAL",
  ],
  "Machine-readable code of the failure.",
);
export type ErrorCode = Static<typeof ErrorCode>;
