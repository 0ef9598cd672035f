import { createComposer } from "../../chunks/compose.ts";
import { typeSet } from "../../chunks/event-types.ts";
import { isIntact, type RunRow } from "../../chunks/run-row.ts";
import { LOST, lostData } from "../../gaps.ts";
import type { Context } from "../context.ts";
import { failureOf } from "../failure.ts";
import { createImmediateTransaction } from "../transaction.ts";
import { checkpointAndClearMarks } from "./clear-marks.ts";
import { readHighWaterMark } from "./high-water-mark.ts";
import type { Mark, MarkedRun, Marks } from "./marks.ts";

/** When the marks file is larger than this, it is cheaper to clear it than to compare it at every start. */
const MARKS_BYTES = 256 * 1024;

/**
 * Looks for lost events when a log is opened, stores a gap for them and reserves their positions. Rows of other tables are
 * written in the transaction of the events that tell of them, so both are lost together: after a lost end, and in an older
 * copy of the file, the rows are as old as the events before the gap, and an approval that was answered is open again.
 */
export function recoverLog(context: Context, path: string, marks: Marks): void {
  // Read before the database: a mark that another process writes meanwhile must not look like a loss.
  const highWaterMark = readHighWaterMark(path);
  recoverLost(context, marks.read(), highWaterMark);
  context.tables.chunks.reserve(highWaterMark);
  if (marks.size() > MARKS_BYTES) checkpointAndClearMarks(context.database, path);
}

/**
 * Compares the marks with the log. A run whose mark is further than its row has lost its end: a `gap.events_lost` takes
 * the place of the lost events, so that no sequence and no position is given a second time. A run that was lost as a whole
 * is recreated with only that gap. Repeating this changes nothing, so several processes may do it at once.
 */
function recoverLost(context: Context, marks: ReadonlyMap<string, Mark>, highWaterMark: number): void {
  const { tables, now } = context;
  const compose = createComposer(now);
  try {
    const isBehind = [...marks.values()].some(isLost) || highWaterMark > tables.chunks.lastPosition();
    if (!isBehind) return;
    createImmediateTransaction(context.database)(() => {
      for (const mark of marks.values()) if (isLost(mark)) storeGap(mark);
      // The lost events belonged to runs that are not known any more.
      const last = tables.chunks.lastPosition();
      if (highWaterMark > last) tables.losses.add(last + 1, highWaterMark);
    });
  } catch (error) {
    // A damaged database must still open: readers and `verify` report the damage.
    if (failureOf(error).code !== "damaged") throw error;
  }

  function isLost(mark: Mark): boolean {
    const row = tables.runs.find(mark.run_id);
    // A damaged row does not show how many events its run has.
    if (row && !isIntact(row)) return false;
    if (tables.chunks.has(mark.last_position)) return false;
    return row ? row.last_sequence < mark.last_sequence : mark.run !== undefined;
  }

  function storeGap({ run_id, run, last_sequence, last_position }: Mark): void {
    const row = tables.runs.find(run_id) ?? recreate(run_id, run as MarkedRun);
    const first_sequence = row.last_sequence + 1;
    const at = now();
    const json = JSON.stringify(lostData({ first_sequence, last_sequence, reason: "truncated" }, row.agent, at));
    const before = { ...row, last_sequence: last_sequence - 1 };
    const { row: after, chunks } = compose(before, [{ type: LOST, timestamp: at, json }]);
    tables.runs.update({ ...after, last_position });
    for (const { bytes, head } of chunks) {
      const positions = [[last_position, 1]] as const;
      const types = typeSet([tables.types.code(LOST)]);
      const place = { run: row.run, run_id, first_sequence, last_sequence, events: 1, positions };
      tables.chunks.insert({ ...place, types, head, bytes });
    }
  }

  function recreate(run_id: string, { worker_id, ...run }: MarkedRun): RunRow {
    tables.tasks.ensure(run.task_id, run.created_at);
    const facts = JSON.stringify({ ...(worker_id !== undefined && { worker_id }) });
    return tables.runs.create({ run_id, ...run, status: "running", facts });
  }
}
