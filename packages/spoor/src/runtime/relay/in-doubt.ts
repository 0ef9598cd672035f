import { LogError } from "../../log/errors.ts";
import type { Log, LogDraft, Receipt, RunAppend } from "../../log/log.ts";
import { at } from "../../log/ranges.ts";

/** Where a batch can stand in a run if it is there: after a sequence that is older, up to one that is no newer. */
export type Bounds = (run_id: string) => { after: number; upTo: number };

/**
 * Appends a batch that somebody else was asked to append and did not answer for: if it is in the log, gives its receipts,
 * else appends it. Exact as long as nobody can append it any more: its epochs must have passed, and `batch` name new ones.
 */
export async function appendOnce(
  log: Log,
  batch: readonly RunAppend[],
  bounds: Bounds,
): Promise<{ receipts: Receipt[]; wasThere: boolean }> {
  const find = async () => {
    const receipts = await findBatch(log, batch, bounds);
    return receipts && { receipts, wasThere: true };
  };
  // A run comes into being once, whoever is asked: that one need not be looked for first.
  const there = batch.some(({ create }) => create) ? undefined : await find();
  if (there) return there;
  try {
    return { receipts: await log.append(batch), wasThere: false };
  } catch (error) {
    const exists = error instanceof LogError && error.code === "run_exists" ? await find() : undefined;
    if (exists) return exists;
    throw error;
  }
}

/**
 * A batch is there as a whole or not at all, so any part of it tells. One that holds nothing but facts cannot be told,
 * and need not be: they are the same when they are written again.
 */
async function findBatch(log: Log, batch: readonly RunAppend[], bounds: Bounds): Promise<Receipt[] | undefined> {
  const receipts: Receipt[] = [];
  const cursors = new Map<string, number>();
  let isThere = false;
  for (const { run_id, create, drafts } of batch) {
    const { after, upTo } = bounds(run_id);
    const place = await findDrafts(log, run_id, drafts, cursors.get(run_id) ?? after, upTo);
    if (place) cursors.set(run_id, place.last_sequence);
    isThere ||= place !== undefined || (create !== undefined && drafts.length === 0);
    // Appending nothing tells where the run stands, and under which epoch.
    const [end] = await log.append([{ run_id, drafts: [] }]);
    receipts.push({ ...(end as Receipt), ...place });
  }
  return isThere ? receipts : undefined;
}

type Place = Pick<Receipt, "first_sequence" | "last_sequence" | "last_position">;

/** Where these drafts stand, one right after the other, among a run's events after a sequence. */
async function findDrafts(
  log: Log,
  run_id: string,
  drafts: readonly LogDraft[],
  after: number,
  upTo: number,
): Promise<Place | undefined> {
  if (drafts.length === 0) return undefined;
  const events = (await eventsAfter(log, run_id, after)).filter(({ sequence }) => sequence <= upTo);
  for (let start = 0; start + drafts.length <= events.length; start++) {
    if (!drafts.every((draft, index) => holds(events[start + index]?.line, draft))) continue;
    const first = events[start] as Event;
    const last = events[start + drafts.length - 1] as Event;
    return { first_sequence: first.sequence, last_sequence: last.sequence, last_position: last.position };
  }
  return undefined;
}

interface Event {
  line: string;
  sequence: number;
  position: number;
}

async function eventsAfter(log: Log, run_id: string, after: number): Promise<Event[]> {
  const events: Event[] = [];
  for (let cursor = after; ; ) {
    const { pieces, next, more } = await log.read(run_id, { after: cursor });
    for (const { bytes, sequences, positions } of pieces) {
      const lines = bytes.toString().split("\n").slice(0, -1);
      for (const [index, line] of lines.entries()) {
        events.push({ line, sequence: at(sequences, index), position: at(positions, index) });
      }
    }
    if (!more) return events;
    cursor = next;
  }
}

/** An envelope ends with its type and its data, whose text is the draft's own. */
const holds = (line: string | undefined, { type, json }: LogDraft): boolean =>
  line?.endsWith(`,"type":"${type}","data":${json}}`) === true;
