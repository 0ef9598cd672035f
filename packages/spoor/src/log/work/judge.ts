import { CHAIN_START, link } from "../chunks/chain.ts";
import { type Chunk, type ChunkRow, chunkOf } from "../chunks/chunk.ts";
import { isIntact, type RunRow } from "../chunks/run-row.ts";
import { type DamageReason, LOST, PRUNED } from "../gaps.ts";
import { typeAt } from "../lines.ts";
import type { RunVerdict } from "../log.ts";
import { countOf } from "../ranges.ts";

/** A row that the store cannot read. It cannot read any later row either. */
export const UNREADABLE = "unreadable";

/**
 * Verifies one run: compares every chunk with its checksum, computes the hash chain again and looks for missing
 * sequences. `rows` are all chunk rows of the run in order; `typeCodes` are the codes of all event types.
 */
export function judgeRun(
  run: RunRow,
  rows: Iterable<ChunkRow | typeof UNREADABLE>,
  typeCodes: ReadonlyMap<string, number>,
): RunVerdict {
  const verdict: RunVerdict = { run_id: run.run_id, events: 0, head: CHAIN_START, damage: [] };
  let expected = 0;
  const lose = (last_sequence: number, reason: DamageReason) => {
    if (last_sequence >= expected) verdict.damage.push({ first_sequence: expected, last_sequence, reason });
    expected = Math.max(expected, last_sequence + 1);
  };
  for (const row of rows) {
    if (row === UNREADABLE) {
      lose(run.last_sequence, "corrupt");
      break;
    }
    const chunk = chunkOf(row, run.run_id);
    if (!chunk) {
      lose(row.last_sequence, "corrupt");
      verdict.head = row.head;
      continue;
    }
    lose(chunk.first_sequence - 1, "missing");
    const type = typeAt(chunk.bytes, 0);
    // The gap of pruned events is not a link of the chain; it carries the link of the last removed event.
    const head = type === PRUNED ? chunk.head : headAfter(chunk, verdict.head);
    if (head !== chunk.head || !listsItsTypes(chunk, typeCodes)) lose(chunk.last_sequence, "corrupt");
    else if (type === LOST) lose(chunk.last_sequence, "truncated");
    verdict.events += countOf(chunk.sequences);
    verdict.head = chunk.head;
    expected = chunk.last_sequence + 1;
  }
  lose(run.last_sequence, "missing");
  const isRowDamaged = verdict.head !== run.head || !isIntact(run);
  if (verdict.damage.length === 0 && isRowDamaged)
    verdict.damage.push({ first_sequence: 0, last_sequence: run.last_sequence, reason: "corrupt" });
  return verdict;
}

/** Whether a filter on types would find every event of the chunk. */
function listsItsTypes({ bytes, types }: Chunk, typeCodes: ReadonlyMap<string, number>): boolean {
  for (let start = 0; start < bytes.length; start = bytes.indexOf(NEWLINE, start) + 1) {
    if (!types.includes(` ${typeCodes.get(typeAt(bytes, start))} `)) return false;
  }
  return true;
}

const NEWLINE = 10;

const headAfter = (chunk: Chunk, before: string): string =>
  chunk.bytes.toString().split("\n").slice(0, -1).reduce(link, before);
