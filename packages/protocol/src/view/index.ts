export { needsAttention, stalled } from "./attention.ts";
export { createRunFold, initialRunView, type RunFold, type RunFoldOptions, viewOf } from "./fold.ts";
export { envelopeTypes } from "./fold-handlers.ts";
export * from "./spans/index.ts";
export type * from "./types.ts";
export type * from "./types-talk.ts";
export type * from "./types-totals.ts";
export type * from "./types-work.ts";
