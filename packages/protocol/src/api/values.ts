/** The values of the HTTP interface without its schemas, for programs that must start fast. */

/** The statuses of a run in lists. */
export const runStatuses = ["queued", "awaiting_approval", "running", "completed", "failed", "cancelled"] as const;

/** The statuses of a task in lists. */
export const taskStatuses = ["not_started", ...runStatuses] as const;

/** What a run does, in one word. The view of a run describes the words. */
export const runStates = ["idle", "working", "blocked", "done", "error"] as const;

/** What performs a run. */
export const runExecutors = ["worker", "process", "cli"] as const;

/** A run that works and whose process lives, but that was silent for longer than this, counts as stalled. */
export const STALLED_AFTER_MS = 120_000;

/** How detailed the events are, the most detailed first. */
export const granularities = ["delta", "block", "turn"] as const;
export type Granularity = (typeof granularities)[number];

/** Where reading of all runs begins without a cursor. */
export const beginnings = ["start", "now"] as const;
export type Beginning = (typeof beginnings)[number];

/** The default and the maximum number of items on a page. */
export const DEFAULT_LIMIT = 200;
export const MAX_LIMIT = 500;

/** How often an idle stream sends a comment as a heartbeat, in milliseconds. */
export const HEARTBEAT_MS = 15_000;

/** Fields by which usage can be grouped. */
export const usageGroups = ["day", "agent", "model", "source", "task", "session"] as const;
export type UsageGroup = (typeof usageGroups)[number];

/** The kinds of steps of a run. */
export const stepKinds = ["model_call", "tool_call"] as const;

/** How a step ended, or what it does. */
export const stepStatuses = [
  ...(["proposed", "awaiting_approval", "running", "completed"] as const),
  ...(["failed", "cancelled", "timed_out", "blocked"] as const),
] as const;
export type StepStatus = (typeof stepStatuses)[number];

export { artifactKinds, artifactStatuses } from "../envelope/artifact-values.ts";
