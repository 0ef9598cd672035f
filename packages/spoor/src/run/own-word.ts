import { internalError } from "../agents/kit/failures.ts";
import type { Signal } from "../agents/signal.ts";
import { goesOn } from "../assemble/model-activity.ts";

/** What the agent itself says about its failures, held against what we did to it. */
export class OwnWord {
  /** It said that it failed, and the model has not gone on since. */
  isFailing = false;

  /** A run is interrupted only when we interrupted it: an agent that says so by itself has lost its way. */
  read(signals: readonly Signal[], isOurDoing: boolean): readonly Signal[] {
    let isUnasked = false;
    for (const signal of signals) {
      if (signal.child !== undefined) continue;
      if (goesOn.has(signal.kind)) this.isFailing = false;
      if (signal.kind !== "fail") continue;
      this.isFailing = true;
      isUnasked ||= isInterruption(signal) && !isOurDoing;
    }
    return isUnasked ? signals.map((signal) => (isInterruption(signal) ? unasked : signal)) : signals;
  }

  /** Another process begins. */
  forget(): void {
    this.isFailing = false;
  }
}

const unasked: Signal = {
  kind: "fail",
  event: internalError(
    "The agent stopped as if it had been interrupted, but nobody interrupted this run. Part of its work may be missing; run it again.",
    "AGENT_CRASH",
  ),
};

const isInterruption = (signal: Signal): boolean =>
  signal.kind === "fail" && signal.child === undefined && signal.event.type === "interrupted";
