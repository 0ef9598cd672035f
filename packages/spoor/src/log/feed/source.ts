import type { Log, Page, Piece } from "../log.ts";
import { lastOf, type Ranges } from "../ranges.ts";
import { filtered } from "./filter.ts";
import { inTurn } from "./turns.ts";

export type Match = (type: string) => boolean;

export interface AllFilter {
  match?: Match;
  task_id?: string;
  agent?: string;
}

/** Events that are handed over together. Readers at the same place get the same object, so that its encoding is shared. */
export interface Batch {
  readonly pieces: readonly Piece[];
  /** The cursor once these are taken; everything before it was looked at. */
  readonly next: number;
  /** Nothing will ever be added to it: what comes later is in the next one. */
  readonly whole?: boolean;
}

/** What a feed reads: one run by sequence, or all of them by position. */
export interface FeedSource {
  /** Two sources with the same parts give the same events. */
  readonly key: readonly unknown[];
  /** What follows a cursor, if it is at hand. */
  recent(after: number): Batch | undefined;
  read(after: number): Promise<Page>;
}

/** Bytes that are handed over at once: enough to make a write worth its cost, little for a stalled reader to hold. */
const BATCH_BYTES = 256 * 1024;
const PAGE_BYTES = 128 * 1024;
/**
 * Batches end at multiples of this, so that readers who drifted apart meet again and share what they are sent; but not
 * at one that is nearer than half of it, which would make small writes of what comes little by little.
 */
const BATCH_EVENTS = 512;

export function runSource(log: Log, run_id: string, match?: Match): FeedSource {
  const query = { maxBytes: PAGE_BYTES, ...(match && { match }) };
  return {
    key: [match],
    recent: (after) => upTo(log.recent.after(run_id, after), after, ({ sequences }) => sequences, match),
    read: (after) => inTurn(() => log.read(run_id, { ...query, after })),
  };
}

export function allSource(log: Log, { match, task_id, agent }: AllFilter): FeedSource {
  const query = { maxBytes: PAGE_BYTES, ...(match && { match }), ...(task_id && { task_id }), ...(agent && { agent }) };
  return {
    key: [match, task_id, agent],
    recent(after) {
      // Whose run a piece belongs to only the store knows.
      if (task_id || agent) return undefined;
      return upTo(log.recent.afterPosition(after), after, ({ positions }) => positions, match);
    },
    read: (after) => inTurn(() => log.readAll({ ...query, after })),
  };
}

function upTo(
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
