import { createEnvelopeWriter } from "@spoor/protocol/lines";
import { CHAIN_START, link } from "../chunks/chain.ts";
import { type Chunk, type ChunkRow, chunkOf, type NewChunk } from "../chunks/chunk.ts";
import { typeSet, typesIn } from "../chunks/event-types.ts";
import type { RunRow } from "../chunks/run-row.ts";
import { LogError } from "../errors.ts";
import { isLost, PRUNED } from "../gaps.ts";
import { lineStart } from "../lines.ts";
import type { PruneReason } from "../log.ts";
import { cutOut } from "../pieces/pieces.ts";
import { at, countOf, countUpTo } from "../ranges.ts";

export interface PruneOrder {
  /** Remove events up to this sequence. */
  through: number;
  reason: PruneReason;
  /** Epoch milliseconds. */
  now: number;
  /** The id and the type code of the gap event. */
  event_id: string;
  typeCode: number;
}

export interface PrunePlan {
  /** Removes the chunks that end at these positions. */
  removed: number[];
  inserted: NewChunk[];
  /** The bytes of the run's events afterwards. */
  bytes: number;
  /** The time of the last removed event, in epoch milliseconds. */
  time: number;
}

/**
 * Plans to remove the beginning of a run. A `gap.events_pruned` takes the slot of the last removed event: its sequence,
 * its position, its time and its link of the hash chain, so that the remaining events still verify. `rows` are all rows
 * that begin at or before `through`, in order. Returns undefined if those events are already gone.
 */
export function planPrune(run: RunRow, rows: readonly ChunkRow[], order: PruneOrder): PrunePlan | undefined {
  const chunks = rows.map((row) => chunkOf(row, run.run_id));
  const index = chunks.findIndex((chunk) => chunk && chunk.last_sequence >= order.through);
  const cut = chunks[index];
  if (!cut)
    throw new LogError(
      "damaged",
      `The run ${run.run_id} cannot be pruned through event ${order.through}, because that event is damaged.`,
    );
  // A gap.events_lost cannot be divided, so it is removed as a whole.
  const through = isLost(cut) ? cut.last_sequence : order.through;
  if (cut.last_sequence - countOf(cut.sequences) + 1 > through) return undefined;
  const headBefore = rows[index - 1]?.head ?? CHAIN_START;
  const { gap, time } = gapAt(cut, run, { ...order, through }, headBefore);
  const inserted = cut.last_sequence > through ? [gap, restOf(cut, through)] : [gap];
  return {
    removed: rows.map(({ last_position }) => last_position),
    inserted,
    bytes: run.bytes - bytesOf(chunks) + bytesOf(inserted),
    time,
  };
}

/** The gap event that takes the place of the last removed event. */
function gapAt(cut: Chunk, run: RunRow, order: PruneOrder, headBefore: string): { gap: NewChunk; time: number } {
  const { through, reason, now, event_id, typeCode } = order;
  const index = countUpTo(cut.sequences, through) - 1;
  const removed = cut.bytes
    .subarray(0, lineStart(cut.bytes, index + 1))
    .toString()
    .split("\n")
    .slice(0, -1);
  const timestamp = Date.parse(JSON.parse(removed.at(-1) as string).occurred_at);
  const json = JSON.stringify({
    first_pruned_sequence: 0,
    last_pruned_sequence: through,
    pruned_at: new Date(now).toISOString(),
    reason,
    agent: run.agent,
  });
  const { run_id, task_id, session_id } = run;
  const write = createEnvelopeWriter({ run_id, task_id, ...(session_id !== null && { session_id }) });
  const gap = {
    run: run.run,
    run_id,
    first_sequence: 0,
    last_sequence: through,
    events: 1,
    positions: [[at(cut.positions, index), 1]] as const,
    types: typeSet([typeCode]),
    head: cut.last_sequence === through ? cut.head : removed.reduce(link, headBefore),
    bytes: Buffer.from(`${write({ type: PRUNED, timestamp, json }, event_id, through)}\n`),
  };
  return { gap, time: timestamp };
}

/** The events of the chunk that remain. */
function restOf(cut: Chunk, through: number): NewChunk {
  const rest = cutOut(cut, countUpTo(cut.sequences, through));
  return {
    run: cut.run,
    run_id: cut.run_id,
    first_sequence: through + 1,
    last_sequence: cut.last_sequence,
    events: countOf(rest.sequences),
    positions: rest.positions,
    // May name types of removed events: a filter then reads this chunk once in vain.
    types: typeSet(typesIn(cut.types)),
    head: cut.head,
    bytes: Buffer.from(rest.bytes),
  };
}

const bytesOf = (chunks: readonly (Pick<Chunk, "bytes"> | undefined)[]): number =>
  chunks.reduce((sum, chunk) => sum + (chunk?.bytes.length ?? 0), 0);
