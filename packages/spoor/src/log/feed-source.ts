import { filtered } from "./feed-pieces.ts";
import type { Log, Page, Piece } from "./log.ts";
import { lastOf, type Ranges } from "./ranges.ts";

export type Match = (type: string) => boolean;

export interface AllFilter {
  match?: Match;
  task_id?: string;
  agent?: string;
}

/** What a feed reads: one run by sequence, or all of them by position. */
export interface FeedSource {
  /** Two sources with the same parts give the same events. */
  readonly key: readonly unknown[];
  /** What follows a cursor, if it is at hand; everything before `next` was looked at. */
  recent(after: number): { pieces: readonly Piece[]; next: number } | undefined;
  read(after: number): Promise<Page>;
}

/** Bytes that are handed over at once: enough to make a write worth its cost, little for a stalled reader to hold. */
const BATCH_BYTES = 64 * 1024;
const PAGE_BYTES = 128 * 1024;

export function runSource(log: Log, run_id: string, match?: Match): FeedSource {
  const query = { maxBytes: PAGE_BYTES, ...(match && { match }) };
  return {
    key: [match],
    recent: (after) => upTo(BATCH_BYTES, log.recent.after(run_id, after), after, ({ sequences }) => sequences, match),
    read: (after) => log.read(run_id, { ...query, after }),
  };
}

export function allSource(log: Log, { match, task_id, agent }: AllFilter): FeedSource {
  const query = { maxBytes: PAGE_BYTES, ...(match && { match }), ...(task_id && { task_id }), ...(agent && { agent }) };
  return {
    key: [match, task_id, agent],
    recent(after) {
      // Whose run a piece belongs to only the store knows.
      if (task_id || agent) return undefined;
      return upTo(BATCH_BYTES, log.recent.afterPosition(after), after, ({ positions }) => positions, match);
    },
    read: (after) => log.readAll({ ...query, after }),
  };
}

function upTo(
  maxBytes: number,
  found: readonly Piece[] | undefined,
  after: number,
  places: (piece: Piece) => Ranges,
  match?: Match,
): { pieces: readonly Piece[]; next: number } | undefined {
  if (!found) return undefined;
  const pieces: Piece[] = [];
  let next = after;
  let bytes = 0;
  for (const piece of found) {
    const kept = match ? filtered(piece, match) : piece;
    if (bytes > 0 && bytes + (kept?.bytes.length ?? 0) > maxBytes) break;
    if (kept) pieces.push(kept);
    bytes += kept?.bytes.length ?? 0;
    next = lastOf(places(piece));
  }
  return { pieces, next };
}
