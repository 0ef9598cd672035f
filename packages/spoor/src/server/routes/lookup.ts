import type { Log } from "../../log/log.ts";
import type { RunRecord } from "../../log/records.ts";
import { HttpError } from "../http/errors.ts";
import type { Call } from "../http/route.ts";

/** The run a path names. Under a task that is not its own it is not there. */
export async function runOf(log: Log, { path }: Call): Promise<RunRecord> {
  const run = await log.run(path.run_id ?? "");
  if (!run || (path.task_id !== undefined && run.task_id !== path.task_id)) {
    throw new HttpError("run_not_found", `There is no run ${path.run_id}${path.task_id ? ` of ${path.task_id}` : ""}.`);
  }
  return run;
}
