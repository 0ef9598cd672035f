import path from "node:path";
import { stateOf } from "../../log/record-json.ts";
import type { DerivedState, RunStatus, StoredRun } from "../../log/records.ts";
import { isOver } from "../../log/records.ts";
import { createLivenessCheck, describeRuns, type Liveness } from "../../runtime/list-runs.ts";
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
  state?: DerivedState;
  model?: string;
  path?: string;
  task?: string;
  /** Also list runs made by `spoor renormalize`. */
  all?: true;
  limit: number;
}

export function listRuns(words: readonly string[], options: ListOptions, io: Io): Promise<void> {
  const { json, agent, status, state, model, path: folder, task, all, limit, data } = options;
  return withLog({ ...(data !== undefined && { data }) }, async (log) => {
    if (agent !== undefined) await refuseUnknownAgent(log, agent);
    const task_id = task === undefined ? undefined : (await findTask(log, task)).task_id;
    const q = words.join(" ").trim();
    const query = {
      limit,
      hide_renormalized: all !== true,
      ...(agent && { agent }),
      ...(status && { status }),
      ...(state && { state }),
      ...(model && { model }),
      ...(folder && { path: path.resolve(folder) }),
      ...(q !== "" && { q }),
      ...(task_id && { task_id }),
    };
    const { runs, more } = await log.runs(query);
    const check = createLivenessCheck();
    if (json) {
      for (const record of describeRuns(runs, check)) printJson(io.stdout, record);
      return;
    }
    const rows = runs.map((run) => rowOf(run, check(run)));
    io.stdout.write(runs.length === 0 ? "No runs.\n" : table([headings, ...rows], widthOf(io.stdout)));
    if (more) io.stdout.write(`There are more runs: --limit ${limit * 2} lists more.\n`);
  });
}

const headings = ["RUN", "AGENT", "STATE", "ACTIVE", "CHANGED", "COST", "ASKED", "NOW"];

function rowOf(run: StoredRun, liveness: Liveness): string[] {
  return [
    run.run_id,
    run.agent,
    stateText(run, liveness),
    ago(run.last_activity ?? run.ended_at ?? run.updated_at),
    changesOf(run),
    costOf(run),
    short(run.title ?? "", 40),
    run.now ?? "",
  ];
}

/** How an ended run ended; what another run does, and what is special about it. */
function stateText(run: StoredRun, { alive, stalled }: Liveness): string {
  if (isOver(run)) return statusOf(run);
  const notes = [
    ...(run.pending ? [`${run.pending} pending`] : []),
    ...(run.paused ? ["paused"] : []),
    ...(run.cancelling ? ["cancelling"] : []),
    ...(stalled ? ["stalled"] : []),
    ...(alive === false ? ["process gone"] : []),
  ];
  const word = run.status === "queued" ? "queued" : stateOf(run);
  return notes.length === 0 ? word : `${word} (${notes.join(", ")})`;
}

function changesOf({ files_changed = 0, additions = 0, deletions = 0 }: StoredRun): string {
  if (files_changed === 0) return "";
  return `${files_changed} ${files_changed === 1 ? "file" : "files"} +${additions} -${deletions}`;
}

/** An estimate is marked with a tilde. */
const costOf = ({ cost_micros_usd, cost_source }: StoredRun): string =>
  `${cost_source === "estimated" && cost_micros_usd !== undefined ? "~" : ""}${dollars(cost_micros_usd)}`;

const short = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
