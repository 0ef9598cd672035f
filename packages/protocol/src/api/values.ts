/** What the interface is made of besides schemas, for programs that must start fast and need no schema. */

/** Where a run stands, as a list shows it. */
export const runStatuses = ["queued", "awaiting_approval", "running", "completed", "failed", "cancelled"] as const;

/** How fine a view of the events is, the whole first. */
export const granularities = ["delta", "block", "turn"] as const;
export type Granularity = (typeof granularities)[number];

/** Where reading of all runs begins when no cursor says it. */
export const beginnings = ["start", "now"] as const;
export type Beginning = (typeof beginnings)[number];

/** Items of a page when nobody says, and at most. */
export const DEFAULT_LIMIT = 200;
export const MAX_LIMIT = 500;

/** A stream with nothing to say says so this often, in a comment. */
export const HEARTBEAT_MS = 15_000;
