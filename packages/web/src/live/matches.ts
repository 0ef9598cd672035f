import type { RunRecord, RunsQuery } from "@spoor/protocol/client";

/** Whether a query finds a run. Undefined when only the server can tell: it searches words and folders. */
export function matches(query: RunsQuery, record: RunRecord): boolean | undefined {
  if (record.renormalized_from_run_id !== undefined && query.renormalized !== true) return false;
  for (const name of ["task_id", "agent", "status", "state", "model", "native_session_id"] as const) {
    if (query[name] !== undefined && !isPattern(query[name]) && record[name] !== query[name]) return false;
  }
  const others = Object.entries(query).filter(([name, value]) => !plain.has(name) || isPattern(value));
  return others.length === 0 ? true : undefined;
}

/** `*` stands for any text in the names of agents and models. */
const isPattern = (value: unknown): boolean => typeof value === "string" && value.includes("*");

/** What the fields of a row decide, and what does not narrow a list. */
const plain: ReadonlySet<string> = new Set([
  ...["task_id", "agent", "status", "state", "model", "native_session_id"],
  ...["renormalized", "limit", "before", "counts"],
]);

/** Newest first, as the server lists them. */
export const byAge = (one: RunRecord, other: RunRecord): number =>
  other.created_at.localeCompare(one.created_at) || other.run_id.localeCompare(one.run_id);
