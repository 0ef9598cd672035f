import type { Log, Page, Piece } from "../log.ts";
import { lastOf, type Ranges } from "../ranges.ts";
import { filtered } from "./filter.ts";
import { inTurn } from "./turns.ts";

/** Whether a reader wants events of this type. */
export type Match = (type: string) => boolean;

/** Selects events of all runs. */
export interface AllFilter {
  match?: Match;
  task_id?: string;
  agent?: string;
}

/** Events that are handed over together. Readers with the same cursor get the same object, so they share its encoding. */
export interface Batch {
  readonly pieces: readonly Piece[];
  /** The cursor after these events. Includes events that the filter did not accept. */
  readonly next: number;
  /** Whether the batch is complete: later events are in the next one. */
  readonly whole?: boolean;
}

/** What a feed reads: one run by sequence, or all runs by position. */
export interface FeedSource {
  /** Two sources with equal keys return the same events. */
  readonly key: readonly unknown[];
  /** The events after a cursor, if they are in memory. */
  recent(after: number): Batch | undefined;
  read(after: number): Promise<Page>;
}

/** Bytes per batch: enough to make a write worth its cost, and not much for a stalled reader to hold. */
const BATCH_BYTES = 256 * 1024;
const PAGE_BYTES = 128 * 1024;
/**
 * Batches end at multiples of this, so that readers with different cursors get the same batches again. The first batch of a
 * reader has at least half as many events, so that slow streams do not cause many small writes.
 */
const BATCH_EVENTS = 512;

export function runSource(log: Log, run_id: string, match?: Match): FeedSource {
  const query = { maxBytes: PAGE_BYTES, ...(match && { match }) };
  return {
    key: [match],
    recent: (after) => batchOf(log.recent.after(run_id, after), after, ({ sequences }) => sequences, match),
    read: (after) => inTurn(() => log.read(run_id, { ...query, after })),
  };
}

export function allSource(log: Log, { match, task_id, agent }: AllFilter): FeedSource {
  const query = { maxBytes: PAGE_BYTES, ...(match && { match }), ...(task_id && { task_id }), ...(agent && { agent }) };
  return {
    key: [match, task_id, agent],
    recent(after) {
      // Only the store knows which task and agent a piece belongs to.
      if (task_id || agent) return undefined;
      return batchOf(log.recent.afterPosition(after), after, ({ positions }) => positions, match);
    },
    read: (after) => inTurn(() => log.readAll({ ...query, after })),
  };
}

/** The next batch of these pieces. */
function batchOf(
  found: readonly Piece[] | undefined,
  after: number,
  places: (piece: Piece) => Ranges,
  match?: Match,
): Batch | undefined {
  if (!found) return undefined;
  const pieces: Piece[] = [];
  const end = (Math.floor((after + 1) / BATCH_EVENTS + 0.5) + 1) * BATCH_EVENTS;
  let next = after;
  let bytes = 0;
  for (const piece of found) {
    const kept = match ? filtered(piece, match) : piece;
    if (kept) pieces.push(kept);
    bytes += piece.bytes.length;
    next = lastOf(places(piece));
    if (next + 1 >= end || bytes >= BATCH_BYTES) return { pieces, next, whole: true };
  }
  return { pieces, next, whole: false };
}
