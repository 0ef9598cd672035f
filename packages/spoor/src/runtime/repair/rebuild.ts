import { readEnvelopes } from "../../log/envelopes.ts";
import type { Log } from "../../log/log.ts";
import { isOver, type RunFacts, type StoredRun } from "../../log/records.ts";
import { type Table, tables } from "../../log/tables.ts";
import { type ProjectedRun, projections } from "../projections/index.ts";
import { RunFactsFold } from "../projections/run-facts.ts";
import { wakeParent } from "../projections/wake-parent.ts";
import { type AnyRow, MemoryTables, wholeRow } from "./memory-tables.ts";

/** The tables that are made from events, and the columns in them that are not. */
export const projectedTables = {
  approvals: [],
  artifacts: ["pending"],
  // A claim writes these.
  queue: ["worker_id", "lease_until", "epoch"],
  workspaces: [],
  // A task itself is no projection; only the run that is active in it is.
  tasks: ["created_at", "updated_at", "kind", "title", "spec", "priority", "deleted_at"],
} as const satisfies Partial<Record<Table, readonly string[]>>;

/** A table that is made from events. */
export type ProjectedTable = keyof typeof projectedTables;

/** What the events of a log say about its rows. */
export interface Rebuilt {
  tables: MemoryTables;
  /** By run: the facts of its row. Runs without their first events are left out. */
  facts: Map<string, Readonly<RunFacts>>;
  /** Runs some of whose events are gone, so that their rows cannot be rebuilt. */
  incomplete: Set<string>;
  runs: number;
  events: number;
}

/** Called from time to time while a log is read. */
export type OnProgress = (done: { runs: number; of: number; events: number }) => void;

/** Makes every projection again from the stored events, in memory. */
export async function rebuild(log: Log, onProgress: OnProgress = () => {}): Promise<Rebuilt> {
  const runs = await allRuns(log);
  const rebuilt: Rebuilt = {
    tables: new MemoryTables(),
    facts: new Map(),
    incomplete: new Set(),
    runs: runs.length,
    events: 0,
  };
  await keepTasks(log, rebuilt.tables);
  // The oldest first: a task has one active run at a time, so whole runs can be read one after the other.
  for (const [index, run] of runs.reverse().entries()) {
    await addRun(log, run, rebuilt);
    onProgress({ runs: index + 1, of: runs.length, events: rebuilt.events });
  }
  wakeParents(rebuilt);
  return rebuilt;
}

/** A run is queued for later only as long as one of its subagents waits for a person. Subagents are newer than their parent. */
function wakeParents({ facts, tables }: Rebuilt): void {
  const waits = new Map<string, boolean>();
  for (const [run_id, { parent_run_id, status, paused }] of [...facts].reverse()) {
    if (status === "queued" && waits.get(run_id) === false) tables.apply(wakeParent({ parent_run_id: run_id }));
    if (parent_run_id === undefined) continue;
    const isQueuedForLater = status === "queued" && tables.rows("queue").get(run_id)?.due_at !== 0;
    const isWaiting = status === "awaiting_approval" || paused === true || isQueuedForLater;
    waits.set(parent_run_id, isWaiting || waits.get(parent_run_id) === true);
  }
}

async function addRun(log: Log, run: StoredRun, rebuilt: Rebuilt): Promise<void> {
  const { run_id, task_id, kind } = run;
  const projected: ProjectedRun = { run_id, task_id, kind, workspace_path: run.workspace_path };
  const fold = new RunFactsFold({ kind });
  let isWhole = true;
  for await (const { type, data, occurred_at } of readEnvelopes(log, { run_id })) {
    rebuilt.events += 1;
    // The rows of pruned events are pruned as well. But an active run without its first events cannot be rebuilt.
    const isGap = type === "gap.events_lost" || (type === "gap.events_pruned" && !isOver(run));
    if (isGap) rebuilt.incomplete.add(run_id);
    if (isGap || type === "gap.events_pruned") isWhole = false;
    const at = Date.parse(occurred_at);
    for (const project of projections) rebuilt.tables.apply(project({ type, data, at }, projected));
    fold.add([{ type, timestamp: at, data }]);
  }
  if (isWhole) rebuilt.facts.set(run_id, fold.facts);
}

/** Tasks stay as they are, except for the run that is active in them. */
async function keepTasks(log: Log, memory: MemoryTables): Promise<void> {
  for await (const row of rowsOf(log, "tasks")) {
    memory.rows("tasks").set(String(row.task_id), { ...row, active_run_id: null, deleted_at: null });
  }
}

/** All rows of a table. */
export async function* rowsOf(log: Log, table: Table): AsyncGenerator<AnyRow> {
  for (let after: string | undefined, more = true; more; ) {
    const page = await log.rows.list(table, { limit: 500, ...(after !== undefined && { after }) });
    for (const row of page.rows) {
      yield wholeRow(table, row);
      after = String((row as unknown as AnyRow)[keyOf(table)]);
    }
    more = page.more && after !== undefined;
  }
}

export const keyOf = (table: Table): string => tables[table].key;

async function allRuns(log: Log): Promise<StoredRun[]> {
  const all: StoredRun[] = [];
  for (let before: string | undefined, more = true; more; ) {
    const page = await log.runs({ limit: 500, ...(before !== undefined && { before }) });
    all.push(...page.runs);
    before = page.runs.at(-1)?.run_id;
    more = page.more && before !== undefined;
  }
  return all;
}
