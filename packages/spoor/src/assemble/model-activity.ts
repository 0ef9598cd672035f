import type { Signal } from "../agents/signal.ts";

/**
 * The kinds of signals that show that the model works. A failure before such a signal did not end the run, so it is reported
 * as recoverable.
 */
export const modelActivity: ReadonlySet<Signal["kind"]> = new Set([
  "call",
  "text",
  "thinking",
  "toolStart",
  "toolReady",
]);
