import { type ChunkRow, chunkOf } from "../chunks/chunk.ts";
import { typesIn } from "../chunks/event-types.ts";
import type { RunRow } from "../chunks/run-row.ts";
import type { Effect } from "../effects.ts";
import { typeAt } from "../lines.ts";
import type { Table } from "../tables.ts";

/** Rows that exist because of an event, and where that event names them. They are removed together with it. */
const madeBy = {
  "approval.requested": { table: "approvals", field: "approval_id" },
  "artifact.created": { table: "artifacts", field: "artifact_id" },
  "run.checkpoint_saved": { table: "artifacts", field: "checkpoint_id" },
} as const satisfies Record<string, { table: Table; field: string }>;

export const typesWithRows = Object.keys(madeBy);

/**
 * The effects that remove the rows which the pruned events made. `rows` are all chunk rows that begin at or before
 * `through`; `codes` are the codes of `typesWithRows`.
 */
export function prunedRows(
  run: RunRow,
  rows: readonly ChunkRow[],
  through: number,
  codes: ReadonlySet<number>,
): Effect[] {
  const effects: Effect[] = [];
  for (const row of rows) {
    if (!typesIn(row.types).some((code) => codes.has(code))) continue;
    const chunk = chunkOf(row, run.run_id);
    if (!chunk) continue;
    for (const line of chunk.bytes.toString().split("\n").slice(0, -1)) {
      const made = madeBy[typeAt(Buffer.from(line), 0) as keyof typeof madeBy];
      if (!made) continue;
      const { sequence, data } = JSON.parse(line) as { sequence: number; data: Record<string, unknown> };
      const key = data[made.field];
      if (sequence <= through && typeof key === "string")
        effects.push({ do: "delete", table: made.table, key } as Effect);
    }
  }
  return effects;
}
