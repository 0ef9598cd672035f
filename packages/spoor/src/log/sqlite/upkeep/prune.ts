import { createUlidSource } from "@spoor/protocol/ids";
import { createEnvelopeWriter } from "@spoor/protocol/write";
import { link } from "../../chunks/chain.ts";
import { typeSet, typesIn } from "../../chunks/event-types.ts";
import { LogError } from "../../errors.ts";
import { isLost, PRUNED } from "../../gaps.ts";
import { lineStart } from "../../lines.ts";
import type { PruneReason, Upkeep } from "../../log.ts";
import { cutOut } from "../../pieces/pieces.ts";
import { at, countOf, countUpTo } from "../../ranges.ts";
import { isOver } from "../../records.ts";
import { type Chunk, type ChunkRow, chunkOf } from "../tables/chunk-rows.ts";
import { type RunRow, withFacts } from "../tables/run-rows.ts";
import type { Workshop } from "./upkeep.ts";

/**
 * Takes away a run's beginning. The gap stands in the place of the last event taken: its sequence, its position, its
 * time, and the hash chain as it was there, so that what is left still verifies. With it goes the tape, which tells the
 * same once more; a run under way still writes to its own.
 */
export function createPrune({ database, store, transaction, now }: Workshop): Upkeep["prune"] {
  const rows = database.prepare("SELECT * FROM chunks WHERE run = ? AND first_sequence <= ? ORDER BY last_sequence");
  const deleteTape = database.prepare("DELETE FROM tapes WHERE run_id = ?");
  const newId = createUlidSource({ prefix: "evt_", now });

  return async (run_id, asked, reason) => {
    // One event less a gap in its place is nothing gained.
    if (asked < 1) return;
    await transaction(() => {
      const run = store.runs.find(run_id);
      if (!run) throw new LogError("run_not_found", `There is no run ${run_id}.`);
      const found = rows.all(run.run, asked) as unknown as ChunkRow[];
      const whole = found.map((row) => chunkOf(row, run_id));
      const cut = whole.find((chunk) => chunk && chunk.last_sequence >= asked);
      if (!cut) throw new LogError("damaged", `The event ${asked} of ${run_id}, where to cut, cannot be read.`);
      // What stands for lost events is pruned with the first of them.
      const through = isLost(cut) ? cut.last_sequence : asked;
      // It, or more, is gone already.
      if (cut.last_sequence - countOf(cut.sequences) + 1 > through) return;
      const left = [gapAt(cut, run, through, reason), ...(cut.last_sequence > through ? [restOf(cut, through)] : [])];
      for (const row of found) store.chunks.delete(row.last_position);
      for (const chunk of left) store.chunks.insert(chunk);
      const sum = (chunks: readonly (Pick<Chunk, "bytes"> | undefined)[]) =>
        chunks.reduce((bytes, chunk) => bytes + (chunk?.bytes.length ?? 0), 0);
      const hadTape = isOver(run) && deleteTape.run(run_id).changes > 0;
      const row = hadTape ? withFacts(run, { has_tape: false }) : run;
      store.runs.update({ ...row, bytes: run.bytes - sum(whole) + sum(left) });
    });
  };

  function gapAt(cut: Chunk, run: RunRow, through: number, reason: PruneReason) {
    const index = countUpTo(cut.sequences, through) - 1;
    const lines = cut.bytes
      .subarray(0, lineStart(cut.bytes, index + 1))
      .toString()
      .split("\n")
      .slice(0, -1);
    const timestamp = Date.parse(JSON.parse(lines.at(-1) as string).occurred_at);
    const pruned_at = new Date(now()).toISOString();
    const place = { first_pruned_sequence: 0, last_pruned_sequence: through };
    const json = JSON.stringify({ ...place, pruned_at, reason, agent: run.agent });
    const { run_id, task_id, session_id } = run;
    const write = createEnvelopeWriter({ run_id, task_id, ...(session_id !== null && { session_id }) });
    const line = write({ type: PRUNED, timestamp, json }, newId(), through);
    return {
      run: run.run,
      run_id,
      first_sequence: 0,
      last_sequence: through,
      events: 1,
      positions: [[at(cut.positions, index), 1]] as const,
      types: typeSet([store.types.code(PRUNED)]),
      head: headAfter(cut, run, lines, through),
      bytes: Buffer.from(`${line}\n`),
    };
  }

  /** The chain at the cut: as the chunk keeps it, or worked out from the chunk before. */
  function headAfter(cut: Chunk, run: RunRow, lines: readonly string[], through: number): string {
    if (cut.last_sequence === through) return cut.head;
    return lines.reduce(link, store.chunks.headBefore(run.run, cut.first_sequence));
  }

  function restOf(cut: Chunk, through: number) {
    const rest = cutOut(cut, countUpTo(cut.sequences, through));
    return {
      run: cut.run,
      run_id: cut.run_id,
      first_sequence: through + 1,
      last_sequence: cut.last_sequence,
      events: countOf(rest.sequences),
      positions: rest.positions,
      // Those that are gone may still be named: a filter then looks once in vain.
      types: typeSet(typesIn(cut.types)),
      head: cut.head,
      bytes: Buffer.from(rest.bytes),
    };
  }
}
