import { readEnvelopes } from "../../log/envelopes.ts";
import type { Log } from "../../log/log.ts";
import type { StoredRun } from "../../log/records.ts";
import type { TaskSpec } from "./spec.ts";

/** What a run was asked to do: its own specification, or that of its task; undefined for a run that was only recorded. */
export async function specOf(log: Log, run: Pick<StoredRun, "run_id" | "task_id">): Promise<TaskSpec | undefined> {
  for await (const { data } of readEnvelopes(log, { run_id: run.run_id, match: isCreation })) {
    if (typeof data.spec === "object" && data.spec !== null) return data.spec as TaskSpec;
  }
  const spec = (await log.rows.find("tasks", run.task_id))?.spec;
  return typeof spec === "string" ? (JSON.parse(spec) as TaskSpec) : undefined;
}

const isCreation = (type: string): boolean => type === "run.created";
