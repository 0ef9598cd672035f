import path from "node:path";
import type { Log } from "../../log/log.ts";
import { type DerivedState, isOver, type RunQuery, type RunStatus, type StoredRun } from "../../log/records.ts";
import { createLivenessCheck, describeRuns } from "../../runtime/list-runs.ts";
import { findRun, findTask } from "../history/find-run.ts";
import { refuseUnknownAgent } from "../history/known-agent.ts";
import { stateShown } from "../history/run-state.ts";
import { type DataOption, withLog } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { age, clock, dollars } from "../output/format.ts";
import { type Cell, type GridColumn, grid } from "../output/grid.ts";
import { printJson } from "../output/json.ts";
import { layout, type Part } from "../output/line.ts";
import { plural } from "../output/plural.ts";
import { shortNames } from "../output/short-names.ts";
import { styleOf } from "../output/style.ts";

export interface ListOptions extends DataOption {
  json?: true;
  agent?: string;
  status?: RunStatus;
  state?: DerivedState;
  model?: string;
  path?: string;
  task?: string;
  /** Also list the runs of subagents, and runs made by `spoor renormalize`. */
  all?: true;
  /** Print whole ids. */
  full?: true;
  /** Only runs created before this one. */
  before?: string;
  limit: number;
}

export function listRuns(words: readonly string[], options: ListOptions, io: Io): Promise<void> {
  const { json, agent, status, state, model, path: folder, task, all, limit, data, before } = options;
  return withLog({ ...(data !== undefined && { data }) }, async (log) => {
    if (agent !== undefined) await refuseUnknownAgent(log, agent);
    const task_id = task === undefined ? undefined : (await findTask(log, task)).task_id;
    const q = words.join(" ").trim();
    const query = {
      hide_renormalized: all !== true,
      ...(before !== undefined && { before: (await findRun(log, before)).run_id }),
      ...(agent && { agent }),
      ...(status && { status }),
      ...(state && { state }),
      ...(model && { model }),
      ...(folder && { path: path.resolve(folder) }),
      ...(q !== "" && { q }),
      ...(task_id && { task_id }),
    };
    if (json) {
      const { runs } = await log.runs({ ...query, limit });
      for (const record of describeRuns(runs, createLivenessCheck())) printJson(io.stdout, record);
      return;
    }
    const found = await find(log, query, limit, all === true);
    // The log counts all its runs, so nothing is said of how many there are of some of them.
    const isFiltered = Object.keys(query).length > 1 + (before === undefined ? 0 : 1);
    const { counts } = found.more && !isFiltered ? await log.runs({ limit: 1, counts: true }) : {};
    print({ ...found, ...(counts && { total: counts.total }) }, options, io);
  });
}

interface Found {
  runs: StoredRun[];
  more: boolean;
  /** How many subagents each run had. */
  subagents: Map<string, number>;
  /** How many runs the log has, those of subagents too. */
  total?: number;
}

/** Finds runs that are not those of subagents. Subagents are newer than the run that started them, so they are seen before. */
async function find(log: Log, query: RunQuery, limit: number, all: boolean): Promise<Found> {
  const subagents = new Map<string, number>();
  const runs: StoredRun[] = [];
  for (let { before } = query; ; ) {
    const page = await log.runs({ ...query, limit: Math.max(limit, 100), ...(before !== undefined && { before }) });
    for (const run of page.runs) {
      if (runs.length === limit) return { runs, more: true, subagents };
      const { run_id, parent_run_id } = run;
      if (parent_run_id === undefined || all) runs.push(run);
      // A subagent may have subagents of its own.
      else subagents.set(parent_run_id, (subagents.get(parent_run_id) ?? 0) + 1 + (subagents.get(run_id) ?? 0));
    }
    before = page.runs.at(-1)?.run_id;
    if (!page.more || before === undefined) return { runs, more: false, subagents };
  }
}

function print({ runs, more, subagents, total }: Found, { full, limit }: ListOptions, io: Io): void {
  if (runs.length === 0) {
    io.stdout.write("No runs.\n");
    return;
  }
  const style = styleOf(io.stdout);
  const check = createLivenessCheck();
  const now = Date.now();
  const name = full ? (id: string) => id : shortNames(runs.map(({ run_id }) => run_id));
  const rows = runs.map((run): Cell[] => {
    const { mark, word, role } = stateShown(run, check(run), now);
    const children = subagents.get(run.run_id);
    const asked = (run.title ?? "").split("\n", 1)[0] ?? "";
    return [
      { text: mark, role },
      { text: name(run.run_id) },
      { text: run.agent },
      { text: word },
      { text: age(now - run.created_at) },
      { text: clock((isOver(run) ? (run.ended_at ?? run.updated_at) : now) - run.created_at) },
      { text: changesOf(run) },
      { text: costOf(run) },
      { text: children ? `${asked} (+${plural(children, "subagent")})` : asked },
    ];
  });
  io.stdout.write(grid(columns, rows, style));
  const last = runs.at(-1)?.run_id ?? "";
  const counted = `${runs.length} of ${total?.toLocaleString("en")}${subagents.size > 0 ? " with subagents" : ""}`;
  // A hint that is cut in its middle would be of no use, so they leave one by one.
  const fact = (text: string, leaves: number, isShown: boolean): Part[] =>
    isShown ? [{ text, leaves, role: "dim", join: " · " }] : [];
  const foot = [
    ...fact("~ estimated", 1, runs.some(isEstimated)),
    ...fact(counted, 2, total !== undefined),
    ...fact(`older: --before ${name(last)}`, 0, more),
    ...fact(`more: --limit ${limit * 2}`, 3, more),
    ...fact("--json for all fields", 4, more && Number.isFinite(style.columns)),
  ];
  if (foot.length > 0) io.stdout.write(`${layout(foot, style)}\n`);
}

const columns: readonly GridColumn[] = [
  { head: "" },
  { head: "RUN" },
  { head: "AGENT", leaves: 1 },
  { head: "STATE" },
  { head: "AGE", leaves: 2 },
  { head: "TIME", leaves: 3 },
  { head: "FILES", leaves: 4 },
  { head: "COST", yields: true },
  { head: "ASKED" },
];

const changesOf = ({ files_changed = 0, additions = 0, deletions = 0 }: StoredRun): string =>
  files_changed === 0 ? "" : `${files_changed} +${additions} -${deletions}`;

const isEstimated = ({ cost_micros_usd, cost_source }: StoredRun): boolean =>
  cost_source === "estimated" && cost_micros_usd !== undefined;

/** An estimate is marked with a tilde. */
const costOf = (run: StoredRun): string => `${dollars(run.cost_micros_usd)}${isEstimated(run) ? "~" : ""}`;
