import { runJson } from "../../log/record-json.ts";
import type { RunStatus } from "../../log/records.ts";
import { findTask } from "../history/find-run.ts";
import { ago, dollars, statusOf } from "../history/format.ts";
import { refuseUnknownAgent } from "../history/known-agent.ts";
import { type DataOption, withLog } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { printJson } from "../output/json.ts";
import { table, widthOf } from "../output/table.ts";

export interface ListOptions extends DataOption {
  json?: true;
  agent?: string;
  status?: RunStatus;
  task?: string;
  /** Also list runs made by `spoor renormalize`. */
  all?: true;
  limit: number;
}

export function listRuns({ json, agent, status, task, all, limit, data }: ListOptions, io: Io): Promise<void> {
  return withLog({ ...(data !== undefined && { data }) }, async (log) => {
    if (agent !== undefined) await refuseUnknownAgent(log, agent);
    const task_id = task === undefined ? undefined : (await findTask(log, task)).task_id;
    const query = {
      limit,
      hide_renormalized: all !== true,
      ...(agent && { agent }),
      ...(status && { status }),
      ...(task_id && { task_id }),
    };
    const { runs, more } = await log.runs(query);
    if (json) {
      for (const run of runs) printJson(io.stdout, runJson(run));
      return;
    }
    const rows = runs.map((run) => [
      run.run_id,
      run.agent,
      statusOf(run),
      ago(run.created_at),
      run.turns === undefined ? "" : String(run.turns),
      dollars(run.cost_micros_usd),
      run.title ?? "",
    ]);
    io.stdout.write(runs.length === 0 ? "No runs.\n" : table([headings, ...rows], widthOf(io.stdout)));
    if (more) io.stdout.write(`There are more runs: --limit ${limit * 2} lists more.\n`);
  });
}

const headings = ["RUN", "AGENT", "STATUS", "WHEN", "TURNS", "COST", "ASKED"];
