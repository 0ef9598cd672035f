import type { Signal } from "../agents/signal.ts";

/** Signals that show that the model goes on: a failure before them was none that ends the run. */
export const goesOn: ReadonlySet<Signal["kind"]> = new Set(["call", "text", "thinking", "toolStart", "toolReady"]);
