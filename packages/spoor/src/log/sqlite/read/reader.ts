import type { RunRow } from "../../chunks/run-row.ts";
import { LogError } from "../../errors.ts";
import type { Page, ReadAllQuery, ReadQuery } from "../../log.ts";
import type { RunQuery, StoredRun, TaskQuery } from "../../records.ts";
import type { RunTexts } from "../../work/searchable.ts";
import type { Context } from "../context.ts";
import { translateErrors } from "../failure.ts";
import { createTimeFinder } from "./find-time.ts";
import { createLists } from "./lists.ts";
import { createLogReader } from "./read-all.ts";
import { createRunReader } from "./read-run.ts";

export type Reader = ReturnType<typeof createReader>;

/** Everything that is read from the database. Every method throws a LogError for whatever SQLite reports. */
export function createReader({ database, tables, snapshot }: Context) {
  const readRun = createRunReader(database, tables);
  const readAll = createLogReader(database, tables);
  const firstAt = createTimeFinder(database, tables);
  const unstoredTexts = new Map<number, RunTexts & { last_sequence: number }>();
  const lists = createLists(database, unstoredTexts);

  return {
    read: (run_id: string, query: ReadQuery): Page =>
      translateErrors(() => snapshot(() => readRun(requireRun(run_id), query))),
    readAll: (query?: ReadAllQuery): Page => translateErrors(() => snapshot(() => readAll(query))),
    positionBefore(time: number): number {
      const first = translateErrors(() => snapshot(() => firstAt(time)));
      return first === undefined ? tables.chunks.lastPosition() : first - 1;
    },
    run: (run_id: string): StoredRun | undefined =>
      translateErrors(() => {
        const row = tables.runs.find(run_id);
        return row && lists.record(row);
      }),
    runs: (query: RunQuery = {}) =>
      translateErrors(() => ({ ...lists.runs(query), ...(query.counts && { counts: lists.counts() }) })),
    /** Texts of runs that could not be stored, by the number of the run. */
    unstoredTexts,
    task: (task_id: string) => translateErrors(() => lists.task(task_id)),
    tasks: (query?: TaskQuery) => translateErrors(() => lists.tasks(query)),
    lastPosition: (): number => tables.chunks.lastPosition(),
    requireRun,
  };

  function requireRun(run_id: string): RunRow {
    const row = tables.runs.find(run_id);
    if (!row) throw new LogError("run_not_found", `There is no run ${run_id}.`);
    return row;
  }
}
