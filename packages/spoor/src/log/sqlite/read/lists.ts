import { typesIn } from "../../chunks/event-types.ts";
import { type RunRow, recordOf } from "../../chunks/run-row.ts";
import { LOST } from "../../gaps.ts";
import { stateOf } from "../../record-json.ts";
import type {
  CountsByState,
  DerivedState,
  RunQuery,
  RunStatus,
  StoredRun,
  StoredTask,
  TaskQuery,
} from "../../records.ts";
import type { Row } from "../../tables.ts";
import type { RunTexts } from "../../work/searchable.ts";
import type { DatabaseSync } from "../driver.ts";
import { createRunFinder, IS_ORIGINAL } from "./find-runs.ts";

const DEFAULT_LIMIT = 50;

/** Lists of runs and tasks, newest first. */
export function createLists(database: DatabaseSync, unstoredTexts: ReadonlyMap<number, RunTexts>) {
  const findRuns = createRunFinder(database, unstoredTexts);
  const first = database.prepare(
    "SELECT min(last_sequence) AS sequence, events, head, types FROM chunks WHERE run = ?",
  );
  const lost = database.prepare("SELECT code FROM event_types WHERE name = ?");
  // A run whose beginning was lost, not pruned, has the gap event in its hash chain.
  const isLost = (types: string): boolean => typesIn(types).includes(Number(lost.get(LOST)?.code));
  const record = (row: RunRow): StoredRun => {
    const chunk = first.get(row.run) as FirstChunk | undefined;
    const first_sequence = chunk?.sequence == null ? 0 : chunk.sequence - chunk.events + 1;
    const isPruned = chunk && first_sequence > 0 && !isLost(chunk.types);
    return { ...recordOf(row, first_sequence), ...(isPruned && { chain_start: chunk.head }) };
  };

  return {
    record,
    runs(query: RunQuery = {}) {
      const { limit = DEFAULT_LIMIT } = query;
      const rows = findRuns(query, limit + 1);
      return { runs: rows.slice(0, limit).map(record), more: rows.length > limit };
    },
    /** How many runs there are by state. Rows of older versions have only a status. */
    counts(): CountsByState {
      const counts: CountsByState = { total: 0, idle: 0, working: 0, blocked: 0, done: 0, error: 0 };
      for (const { state, status, runs } of database.prepare(COUNTS).all() as unknown as CountRow[]) {
        counts[stateOf({ state: state ?? undefined, status })] += runs;
        counts.total += runs;
      }
      return counts;
    },
    tasks({ before, limit = DEFAULT_LIMIT }: TaskQuery = {}) {
      const rows = database
        .prepare(
          `${TASKS} AND (? IS NULL OR task < (SELECT task FROM tasks WHERE task_id = ?)) ORDER BY task DESC LIMIT ?`,
        )
        .all(before ?? null, before ?? null, limit + 1) as unknown as TaskRow[];
      return { tasks: rows.slice(0, limit).map(taskOf), more: rows.length > limit };
    },
    task(task_id: string): StoredTask | undefined {
      const row = database.prepare(`${TASKS} AND task_id = ?`).get(task_id) as unknown as TaskRow | undefined;
      return row && taskOf(row);
    },
  };
}

interface CountRow {
  state: DerivedState | null;
  status: RunStatus;
  runs: number;
}

interface FirstChunk {
  sequence: number | null;
  events: number;
  head: string;
  types: string;
}

const COUNTS = `SELECT CASE WHEN json_valid(facts) THEN json_extract(facts, '$.state') END AS state, status,
  count(*) AS runs FROM runs WHERE ${IS_ORIGINAL} GROUP BY 1, 2`;

/** The runs of subagents say nothing about the status of their task. */
const IS_MAIN = `instr(facts, '"parent_run_id":') = 0`;

/**
 * A task has its own title or that of its first run, and the status of its newest run. Runs made from another run's tape do
 * not count, and a task that was not made by a caller and has no other run is not listed. Nor is a deleted one.
 */
const TASKS = `SELECT task_id, created_at, updated_at, kind, title, spec, priority, active_run_id,
  (SELECT count(*) FROM runs WHERE runs.task_id = tasks.task_id AND ${IS_ORIGINAL}) AS run_count,
  (SELECT facts FROM runs WHERE runs.task_id = tasks.task_id ORDER BY run LIMIT 1) AS first_facts,
  (SELECT json_array(run_id, status, updated_at) FROM runs WHERE runs.task_id = tasks.task_id AND ${IS_ORIGINAL}
     AND ${IS_MAIN} ORDER BY run DESC LIMIT 1) AS latest
  FROM tasks WHERE (latest IS NOT NULL OR spec IS NOT NULL) AND deleted_at IS NULL`;

interface TaskRow extends Row<"tasks"> {
  run_count: number;
  first_facts: string | null;
  latest: string | null;
}

function taskOf({ task_id, created_at, run_count, first_facts, latest, ...row }: TaskRow): StoredTask {
  const [run_id, status, run_updated_at] = JSON.parse(latest ?? "[]") as [string?, RunStatus?, number?];
  const { title: first_title } = JSON.parse(first_facts ?? "{}") as { title?: string };
  const title = row.title ?? first_title;
  return {
    task_id,
    ...(title !== undefined && { title }),
    created_at,
    updated_at: Math.max(row.updated_at ?? created_at, run_updated_at ?? created_at),
    run_count,
    status: status ?? "not_started",
    ...(run_id !== undefined && status !== undefined && { latest_run_id: run_id, latest_run_status: status }),
    ...(row.active_run_id !== null && { active_run_id: row.active_run_id }),
    ...(row.spec !== null && { spec: row.spec }),
    ...(row.kind !== null && { kind: row.kind }),
    ...(row.priority !== null && { priority: row.priority }),
  };
}
