import { internalError } from "../agents/kit/failures.ts";
import type { Signal } from "../agents/signal.ts";
import { modelActivity } from "./model-activity.ts";

/** Tracks the failures that the agent itself reports. */
export class ReportedFailure {
  /** Whether the agent reported a failure and the model has not worked since. */
  isOpen = false;

  /**
   * Replaces a reported interruption by a crash, unless `isInterruptionExpected`: an agent that stops as if interrupted when
   * nobody interrupted it has lost its work.
   */
  check(signals: readonly Signal[], isInterruptionExpected: boolean): readonly Signal[] {
    let isUnexpected = false;
    for (const signal of signals) {
      if (signal.child !== undefined) continue;
      if (modelActivity.has(signal.kind)) this.isOpen = false;
      if (signal.kind !== "fail") continue;
      this.isOpen = true;
      isUnexpected ||= isInterruption(signal) && !isInterruptionExpected;
    }
    return isUnexpected ? signals.map((signal) => (isInterruption(signal) ? unexpectedInterruption : signal)) : signals;
  }

  reset(): void {
    this.isOpen = false;
  }
}

const unexpectedInterruption: Signal = {
  kind: "fail",
  event: internalError(
    "The agent stopped as if it had been interrupted, but nobody interrupted this run. Part of its work may be missing; run it again.",
    "AGENT_CRASH",
  ),
};

const isInterruption = (signal: Signal): boolean =>
  signal.kind === "fail" && signal.child === undefined && signal.event.type === "interrupted";
