import type { Effect } from "../../log/effects.ts";
import type { Log } from "../../log/log.ts";
import { type FactChanges, isOver, type StoredRun } from "../../log/records.ts";
import { createWorkerCheck } from "../worker.ts";
import { type Difference, differences } from "./differences.ts";
import { type OnProgress, rebuild } from "./rebuild.ts";

/** How a log is repaired. */
export interface RepairOptions {
  /** The data directory: changes of files that were cut off are finished first. */
  directory: string;
  /** Only compares, and writes nothing. */
  check?: boolean;
  onProgress?: OnProgress;
  /** Whether a worker is gone; undefined means unknown. */
  isGone?: (worker_id: string) => boolean | undefined;
}

/** What a repair found, and whether it was mended. */
export interface Repaired {
  runs: number;
  events: number;
  /** Runs without some of their events. Their rows stay as they are. */
  incomplete: number;
  differences: Difference[];
  /** False with `check`. */
  written: boolean;
}

/**
 * Somebody performs a run, so its rows change while they are compared.
 *
 * @example
 * try {
 *   await repair(log, { directory: "./runs" });
 * } catch (error) {
 *   if (error instanceof RepairError) console.error(`Cancel ${error.run_id} first.`);
 * }
 */
export class RepairError extends Error {
  override readonly name = "RepairError";
  readonly run_id: string;

  constructor(run: StoredRun) {
    super(
      `The run ${run.run_id} is being performed by ${run.worker_id ?? "an unknown process"}, so its rows change meanwhile. ` +
        "Cancel it or wait for its end, and repair the log then.",
    );
    this.run_id = run.run_id;
  }
}

/**
 * Makes every row that follows from events again, and replaces the rows that differ. Tasks, commands and contents are no
 * projections and stay. Nobody may perform a run meanwhile.
 *
 * @throws {RepairError} if a run is being performed.
 * @example
 * const { differences } = await repair(log, { directory: "./runs", check: true });
 * for (const { table, key, problem } of differences) console.log(table, key, problem);
 */
export async function repair(log: Log, options: RepairOptions): Promise<Repaired> {
  const { directory, check = false, onProgress, isGone = createWorkerCheck() } = options;
  await refuseActiveRuns(log, isGone);
  if (!check) {
    const { recoverPending } = await import("../artifacts/recover.ts");
    await recoverPending(log, directory);
    const { settleEndedRuns } = await import("../artifacts/file-changes.ts");
    await settleEndedRuns(log, directory);
  }
  const rebuilt = await rebuild(log, onProgress);
  const found: Difference[] = [];
  for await (const difference of differences(log, rebuilt)) found.push(difference);
  if (!check) for (const difference of found) await mend(log, difference);
  const { runs, events, incomplete } = rebuilt;
  return { runs, events, incomplete: incomplete.size, differences: found, written: !check };
}

async function refuseActiveRuns(log: Log, isGone: NonNullable<RepairOptions["isGone"]>): Promise<void> {
  for (const status of ["running", "awaiting_approval"] as const) {
    for (let before: string | undefined, more = true; more; ) {
      const page = await log.runs({ status, limit: 200, ...(before !== undefined && { before }) });
      const active = page.runs.find((run) => run.worker_id !== undefined && isGone(run.worker_id) !== true);
      if (active && !isOver(active)) throw new RepairError(active);
      before = page.runs.at(-1)?.run_id;
      more = page.more && before !== undefined;
    }
  }
}

async function mend(log: Log, difference: Difference): Promise<void> {
  const { table, key, problem, columns = {}, expected } = difference;
  if (table === "runs") {
    const facts = Object.fromEntries(Object.entries(columns).map(([name, { expected: value }]) => [name, value]));
    await log.append([{ run_id: key, drafts: [], facts: facts as FactChanges }]);
    return;
  }
  if (problem === "extra") {
    await log.rows.write([{ do: "delete", table, key }]);
  } else if (problem === "changed") {
    const set = Object.fromEntries(Object.entries(columns).map(([name, { expected: value }]) => [name, value]));
    await log.rows.write([{ do: "update", table, key, when: {}, set } as Effect]);
  } else {
    const row = table === "queue" ? await withWorker(log, expected ?? {}) : expected;
    await log.rows.write([{ do: "insert", table, row } as Effect]);
  }
}

/** A run that was started has a worker, even if that is gone: recovery decides about it, and no other worker takes it. */
async function withWorker(log: Log, row: object): Promise<object> {
  const run = await log.run(String((row as { run_id?: unknown }).run_id));
  return run?.worker_id === undefined ? row : { ...row, worker_id: run.worker_id, lease_until: 0 };
}
