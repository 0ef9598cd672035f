import type { Log } from "../../log/log.ts";
import type { StoredRun } from "../../log/records.ts";
import { HttpError } from "../http/http-error.ts";
import type { RouteCall } from "../http/route.ts";

/** The run that a path names. A run is not found under a task it does not belong to. */
export async function findRun(log: Log, { path }: RouteCall): Promise<StoredRun> {
  const run = await log.run(path.run_id ?? "");
  if (!run || (path.task_id !== undefined && run.task_id !== path.task_id)) {
    const place = path.task_id ? ` in task ${path.task_id}` : "";
    throw new HttpError("run_not_found", `There is no run ${path.run_id}${place}.`);
  }
  return run;
}
