import { factsOf, type RunRow } from "../../chunks/run-row.ts";
import type { RunQuery } from "../../records.ts";
import { createRunFilter, filtersFacts } from "../../work/run-filter.ts";
import { lower, NO_TEXTS, type RunTexts } from "../../work/searchable.ts";
import type { DatabaseSync } from "../driver.ts";

/** Finds the rows of the runs that a query asks for, newest first. `unstoredTexts` are newer than those of the table. */
export function createRunFinder(database: DatabaseSync, unstoredTexts: ReadonlyMap<number, RunTexts>) {
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

  return (query: RunQuery, limit: number): RunRow[] => {
    const { task_id, agent, status, native_session_id, kind, hide_renormalized, before } = query;
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
    if (filtersFacts(query)) return scan(`${SCANNED} ${where}`, values, query, limit);
    return database.prepare(`SELECT * FROM runs ${where} LIMIT ?`).all(...values, limit) as unknown as RunRow[];
  };
}

/** A quoted name followed by a colon can only be a key of the JSON. SQLite's JSON functions would fail on damaged text. */
export const IS_ORIGINAL = `instr(facts, '"renormalized_from_run_id":') = 0`;

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
