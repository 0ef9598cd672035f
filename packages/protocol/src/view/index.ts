export { needsAttention, stalled } from "./attention.ts";
export { createRunFold, initialRunView, type RunFold, type RunFoldOptions, viewOf } from "./fold.ts";
export type * from "./types.ts";
export type * from "./types-talk.ts";
export type * from "./types-totals.ts";
export type * from "./types-work.ts";
