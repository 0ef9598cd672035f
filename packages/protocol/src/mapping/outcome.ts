import type { AgentEvent } from "../agent-events/catalog.ts";
import { crashMessage } from "../agent-events/crash-message.ts";
import { isTerminalEvent } from "../agent-events/terminal.ts";
import type { Data } from "./conversion.ts";

export interface Outcome {
  type: "run.finished" | "run.failed" | "run.cancelled";
  data: Data;
}

/**
 * The terminal run event of a run that ended: `last` is its terminal AgentEvent, or undefined when it came to its end.
 * A `rate_limit_error` is given only when nothing but `session_end` followed it.
 */
export function outcomeOf(last: AgentEvent | undefined): Outcome {
  if (!last) return { type: "run.finished", data: { final_status: "completed", status: "completed", error: "" } };
  switch (last.type) {
    case "interrupted":
    case "aborted":
      return { type: "run.cancelled", data: { reason: last.type } };
    case "timeout":
      return failed(`${last.kind}_timeout`, `The ${last.kind} limit was reached.`, true);
    case "turn_limit":
      return failed(
        "turn_limit",
        `The limit of ${last.maxTurns} ${last.maxTurns === 1 ? "turn" : "turns"} was reached.`,
        true,
      );
    case "auth_error":
      return failed("auth_error", last.message, false);
    case "rate_limit_error":
      return failed("rate_limited", last.message, true);
    case "context_exceeded":
      return failed("context_exceeded", `${last.usedTokens} of ${last.maxTokens} tokens.`, false);
    case "crash":
      return failed("agent_crash", crashMessage(last.exitCode, last.stderr), true);
    case "error":
      return failed(last.code.toLowerCase(), last.message, false);
    default:
      throw new TypeError(`${last.type} does not end a run.`);
  }
}

/** Remembers what decides the outcome while events pass. */
export function createOutcomeTracker(): { add(event: AgentEvent): void; outcome(): Outcome } {
  let last: AgentEvent | undefined;
  return {
    add(event) {
      if (isTerminalEvent(event) || event.type === "rate_limit_error") last = event;
      else if (last?.type === "rate_limit_error" && event.type === "retry") last = undefined;
    },
    outcome: () => outcomeOf(last),
  };
}

const failed = (code: string, message: string, retriable: boolean): Outcome => ({
  type: "run.failed",
  data: { code, message, retriable, status: "failed", error: message },
});
