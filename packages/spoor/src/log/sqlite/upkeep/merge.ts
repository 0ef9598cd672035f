import type { ChunkRow } from "../../chunks/chunk.ts";
import type { RunRow } from "../../chunks/run-row.ts";
import type { Upkeep } from "../../log.ts";
import { endedBefore, isWorthMerging, planMerge } from "../../work/merge-plan.ts";
import type { Context } from "../context.ts";

/** Rows per transaction. Other writers wait for one such step at most; compressing takes longer than joining. */
const STEP = 64;
const COMPRESS_STEP = 16;

/** Joins and compresses the chunks of runs, a few rows per transaction. */
export function createMerge({ database, tables, transaction }: Context): Upkeep["merge"] {
  const nextRun = database.prepare("SELECT * FROM runs WHERE run > ? ORDER BY run LIMIT 1");
  const nextRows = database.prepare(
    "SELECT * FROM chunks WHERE run = ? AND last_sequence > ? ORDER BY last_sequence LIMIT ?",
  );
  const count = database.prepare("SELECT count(*) AS chunks FROM chunks WHERE run = ?");
  const anyPlain = database.prepare("SELECT 1 FROM chunks WHERE run = ? AND encoding = 0 LIMIT 1");

  return async ({ run_id, coldBefore = Number.NEGATIVE_INFINITY } = {}) => {
    const total = { before: 0, after: 0 };
    for (const run of run_id === undefined ? allRuns() : oneRun(run_id)) {
      const chunks = Number(count.get(run.run)?.chunks);
      total.before += chunks;
      total.after += chunks;
      const compress = endedBefore(run, coldBefore);
      if (compress ? !anyPlain.get(run.run) : !isWorthMerging(run, chunks)) continue;
      for (let after: number | undefined = -1; after !== undefined; ) {
        const from: number = after;
        const step: Step = await transaction(() => mergeNext(run, from, compress));
        total.after -= step.saved;
        after = step.next;
        // Lets other work of the event loop run between two steps.
        await new Promise(setImmediate);
      }
    }
    return total;
  };

  function* allRuns(): Iterable<RunRow> {
    for (let run = nextRun.get(0); run; run = nextRun.get(run.run as number)) yield run as unknown as RunRow;
  }

  function oneRun(run_id: string): RunRow[] {
    const run = tables.runs.find(run_id);
    return run ? [run] : [];
  }

  function mergeNext({ run, run_id }: RunRow, after: number, compress: boolean): Step {
    const limit = compress ? COMPRESS_STEP : STEP;
    const rows = nextRows.all(run, after, limit) as unknown as ChunkRow[];
    const { replacements, next } = planMerge(run_id, rows, { after, limit, compress });
    for (const { removed, inserted } of replacements) {
      for (const last_position of removed) tables.chunks.delete(last_position);
      tables.chunks.insert(inserted);
    }
    return { next, saved: replacements.reduce((sum, { removed }) => sum + removed.length - 1, 0) };
  }
}

interface Step {
  next: number | undefined;
  /** How many chunks fewer there are after it. */
  saved: number;
}
