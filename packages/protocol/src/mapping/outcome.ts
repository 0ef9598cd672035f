import type { AgentEvent } from "../agent-events/catalog.ts";
import { createFailureTracker, isRetriable, type RunFailure } from "../agent-events/failures.ts";
import type { Data } from "./conversion.ts";

export interface Outcome {
  type: "run.finished" | "run.failed" | "run.cancelled";
  data: Data;
}

/** The terminal run event of a run that ended with this failure, or completed when there is none. */
export function outcomeOf(failure: RunFailure | undefined): Outcome {
  if (!failure) return { type: "run.finished", data: { final_status: "completed", status: "completed", error: "" } };
  const { code, exitReason, message } = failure;
  if (exitReason === "interrupted" || exitReason === "aborted") {
    return { type: "run.cancelled", data: { reason: exitReason } };
  }
  const data = { code: code.toLowerCase(), message, retriable: isRetriable(code), status: "failed", error: message };
  return { type: "run.failed", data };
}

/** Follows a run's events to decide its terminal run event. */
export function createOutcomeTracker(): { add(event: AgentEvent): void; outcome(): Outcome } {
  const { add, failure } = createFailureTracker();
  return { add, outcome: () => outcomeOf(failure()) };
}
