import { typesIn } from "../../chunks/event-types.ts";
import { factsOf, type RunRow, recordOf } from "../../chunks/run-row.ts";
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
import { createRunFilter, filtersFacts } from "../../work/run-filter.ts";
import { lower, NO_TEXTS, type RunTexts } from "../../work/searchable.ts";
import type { DatabaseSync } from "../driver.ts";

const DEFAULT_LIMIT = 50;

/** Lists of runs and tasks, newest first. */
export function createLists(database: DatabaseSync, unstoredTexts: ReadonlyMap<number, RunTexts>) {
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

  const byNumber = database.prepare("SELECT * FROM runs WHERE run = ?");

  /** Looks at one run after the other, newest first, until enough match. */
  function scan(sql: string, values: readonly (string | number)[], query: RunQuery, limit: number): RunRow[] {
    const matches = createRunFilter(query);
    const found: RunRow[] = [];
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    for (const each of statement.iterate(...values) as Iterable<unknown>) {
      const [run, run_id, agent, facts, prompts, paths, spec] = each as Scanned;
      const stored = prompts === null ? NO_TEXTS : { prompts, paths: paths ?? "" };
      const texts = withAsked(unstoredTexts.get(run) ?? stored, spec);
      if (!matches({ run_id, agent, facts: factsOf({ facts }), texts })) continue;
      const row = byNumber.get(run) as unknown as RunRow | undefined;
      if (row) found.push(row);
      if (found.length === limit) break;
    }
    return found;
  }

  return {
    record,
    runs(query: RunQuery = {}) {
      const { task_id, agent, status, native_session_id, kind, hide_renormalized, before } = query;
      const { limit = DEFAULT_LIMIT } = query;
      const conditions = ["1"];
      const values: (string | number)[] = [];
      const columns = { task_id, agent: agent?.includes("*") ? undefined : agent, status, native_session_id, kind };
      for (const [column, value] of Object.entries(columns)) {
        if (value === undefined) continue;
        conditions.push(`runs.${column} = ?`);
        values.push(value);
      }
      if (hide_renormalized) conditions.push(IS_ORIGINAL);
      if (before !== undefined) {
        conditions.push("runs.run < (SELECT run FROM runs WHERE run_id = ?)");
        values.push(before);
      }
      if (unstoredTexts.size === 0) {
        for (const word of plainWords(query.q)) {
          conditions.push(MAY_HAVE_WORD);
          values.push(word, word, word);
        }
      }
      const where = `WHERE ${conditions.join(" AND ")} ORDER BY runs.run DESC`;
      const rows = filtersFacts(query)
        ? scan(`${SCANNED} ${where}`, values, query, limit + 1)
        : (database.prepare(`SELECT * FROM runs ${where} LIMIT ?`).all(...values, limit + 1) as unknown as RunRow[]);
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

/** What a scan looks at. A run that has not begun is found by what its task asks for. */
const SCANNED = `SELECT runs.run, runs.run_id, runs.agent, runs.facts, run_texts.prompts, run_texts.paths,
  CASE WHEN coalesce(run_texts.prompts, '') = '' THEN (SELECT spec FROM tasks WHERE tasks.task_id = runs.task_id) END
  FROM runs LEFT JOIN run_texts ON run_texts.run = runs.run`;

/**
 * Leaves out runs that cannot have a word, so that fewer rows leave the database: it is faster than the filter, but knows
 * small letters of ASCII only. So rows with other characters stay, and so do runs that are found by their task.
 */
const MAY_HAVE_WORD = `(coalesce(run_texts.prompts, '') = '' OR instr(run_texts.prompts, ?) > 0
  OR instr(run_texts.paths, ?) > 0 OR instr(lower(runs.facts || ' ' || runs.run_id || ' ' || runs.agent), ?) > 0
  OR length(runs.facts) <> octet_length(runs.facts))`;

/** The words of a search that look the same in JSON. */
const plainWords = (q = ""): string[] =>
  lower(q)
    .split(/\s+/)
    .filter((word) => /^[!#-[\]-~]+$/.test(word));

type Scanned = [
  run: number,
  run_id: string,
  agent: string,
  facts: string,
  prompts: string | null,
  paths: string | null,
  spec: string | null,
];

function withAsked(texts: RunTexts, spec: string | null): RunTexts {
  if (spec === null || texts.prompts !== "") return texts;
  try {
    const { prompt } = JSON.parse(spec) as { prompt?: unknown };
    return prompt === undefined ? texts : { ...texts, prompts: lower([prompt].flat().join("\n")) };
  } catch {
    // The row is damaged. It is found by what else is known of the run.
    return texts;
  }
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

/** A quoted name followed by a colon can only be a key of the JSON. SQLite's JSON functions would fail on damaged text. */
const IS_ORIGINAL = `instr(facts, '"renormalized_from_run_id":') = 0`;

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
