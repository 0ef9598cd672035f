import type { Signal } from "../agents/signal.ts";

/** Signals that the model works. A failure before one of them did not end the run, so it is reported as recoverable. */
export const modelActivity: ReadonlySet<Signal["kind"]> = new Set([
  "call",
  "text",
  "thinking",
  "toolStart",
  "toolReady",
]);
