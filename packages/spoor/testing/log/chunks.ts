import { type ChunkRow, rowOf } from "../../src/log/chunks/chunk.ts";
import { createComposer } from "../../src/log/chunks/compose.ts";
import { newRow, type RunRow, runCrc } from "../../src/log/chunks/run-row.ts";
import { drafts } from "./drafts.ts";

export const TYPES = new Map([["external.event", 1]]);

/** A run with one chunk per count, and `between` positions of other runs between two chunks. */
export function storedRun(counts: readonly number[], between = 0): { run: RunRow; rows: ChunkRow[] } {
  const names = { run_id: "run_a", task_id: "task_a", session_id: null, agent: "toy", kind: "agent", created_at: 0 };
  const compose = createComposer(() => 1);
  let run: RunRow = { ...newRow(names), run: 1 };
  const rows: ChunkRow[] = [];
  for (const count of counts) {
    const { row, chunks } = compose(run, drafts(count));
    let position = run.last_position + between;
    for (const { first_sequence, events, head, bytes } of chunks) {
      const positions = [[position + 1, events]] as const;
      const place = { run: 1, run_id: run.run_id, first_sequence, last_sequence: first_sequence + events - 1, events };
      rows.push(rowOf({ ...place, positions, types: " 1 ", head, bytes }));
      position += events;
    }
    run = { ...row, last_position: position };
  }
  return { run: { ...run, crc: runCrc(run) }, rows };
}

/** The same row with one bit of its body changed. */
export function damagedRow(row: ChunkRow): ChunkRow {
  const body = Buffer.from(row.body);
  body[20] = (body[20] as number) ^ 1;
  return { ...row, body };
}
