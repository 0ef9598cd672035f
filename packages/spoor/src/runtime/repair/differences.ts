import type { Log } from "../../log/log.ts";
import type { RunFacts } from "../../log/records.ts";
import type { Table, Value } from "../../log/tables.ts";
import { keyOf, type ProjectedTable, projectedTables, type Rebuilt, rowsOf } from "./rebuild.ts";

/** A row that differs from what the events say. */
export interface Difference {
  table: ProjectedTable | "runs";
  key: string;
  /** `missing`: events tell of a row that is not there. `extra`: no event tells of it. */
  problem: "missing" | "extra" | "changed";
  /** The columns that differ: as they are stored, and as they should be. */
  columns?: Record<string, { stored: unknown; expected: unknown }>;
  /** The row as it should be; absent for an extra one. */
  expected?: Record<string, Value>;
}

/** Facts of a run's row that its events tell. The others belong to the process that performs it, or to commands. */
const projectedFacts = [
  ...(["status", "title", "model", "native_session_id", "parent_run_id", "prior_run_id"] as const),
  ...(["renormalized_from_run_id", "prior_cost_micros_usd", "turns", "cost_micros_usd", "cost_source"] as const),
  ...(["error_code", "ended_at", "pending", "files_changed", "additions", "deletions"] as const),
  ...(["paused", "parked", "attempt", "state", "now", "result"] as const),
] as const satisfies readonly (keyof RunFacts)[];

/** Compares the rows of a log with what its events say. */
export async function* differences(log: Log, rebuilt: Rebuilt): AsyncGenerator<Difference> {
  for (const [table, ignored] of Object.entries(projectedTables) as [ProjectedTable, readonly string[]][]) {
    yield* tableDifferences(log, rebuilt, table, ignored);
  }
  for (const [run_id, facts] of rebuilt.facts) {
    const stored = await log.run(run_id);
    const columns = stored && changedColumns({ ...stored }, { ...facts }, projectedFacts);
    if (columns) yield { table: "runs", key: run_id, problem: "changed", columns };
  }
}

async function* tableDifferences(
  log: Log,
  { tables, incomplete }: Rebuilt,
  table: ProjectedTable,
  ignored: readonly string[],
): AsyncGenerator<Difference> {
  const expected = new Map(tables.rows(table));
  for await (const row of rowsOf(log, table)) {
    const key = String(row[keyOf(table)]);
    const wanted = expected.get(key);
    expected.delete(key);
    if (isOwnBookkeeping(table, row) || incomplete.has(String(row.run_id ?? row.active_run_id))) continue;
    if (!wanted) {
      yield { table, key, problem: "extra" };
      continue;
    }
    const names = Object.keys(wanted).filter((column) => !ignored.includes(column));
    const columns = changedColumns(row, wanted, names);
    if (columns) yield { table, key, problem: "changed", columns, expected: wanted };
  }
  for (const [key, wanted] of expected) {
    if (table !== "tasks" && !incomplete.has(String(wanted.run_id))) {
      yield { table, key, problem: "missing", expected: wanted };
    }
  }
}

/** The counter of holds is no folder of a run. */
const isOwnBookkeeping = (table: Table, { run_id }: Record<string, Value>): boolean =>
  table === "workspaces" && run_id === null;

function changedColumns(
  stored: Readonly<Record<string, unknown>>,
  expected: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Difference["columns"] {
  const changed = names.filter((name) => !isSame(stored[name], expected[name]));
  if (changed.length === 0) return undefined;
  return Object.fromEntries(
    changed.map((name) => [name, { stored: stored[name] ?? null, expected: expected[name] ?? null }]),
  );
}

/** An absent fact equals null, false and 0. */
const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (!one && !other && typeof one !== "string" && typeof other !== "string");
