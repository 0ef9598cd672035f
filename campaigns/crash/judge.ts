import { unprefixed } from "../../packages/protocol/src/envelope/ids.ts";
import { createStreamChecker, isTerminalRunType } from "../../packages/protocol/src/index.ts";
import { isOver, type StoredRun } from "../../packages/spoor/src/log/records.ts";
import { readProcessTable } from "../../packages/spoor/src/process/process-table.ts";
import { createMarkCheck } from "../../packages/spoor/src/process/run-mark.ts";
import { differences } from "../../packages/spoor/src/runtime/repair/differences.ts";
import { rebuild } from "../../packages/spoor/src/runtime/repair/rebuild.ts";
import type { Cell, End } from "./matrix.ts";
import type { Stage } from "./stage.ts";

/** What must hold for the run of a cell once everything is over. Returns a sentence for each broken promise. */
export async function judge(stage: Stage, cell: Cell, run_id: string): Promise<string[]> {
  const broken = await judgeRuns(stage);
  const run = await stage.run(run_id);
  if (!cell.ends.includes(run.status as End)) {
    broken.push(`the run is ${run.status} (${run.error_code}), not ${cell.ends.join(" or ")}`);
  }
  if (cell.shape !== "patches") broken.push(...effectsProblems(stage.effects(), run.status));
  for (const { run_id: id } of await allRuns(stage)) broken.push(...(await processesLeft(stage, id)));
  return broken;
}

/** What must hold for all runs once everything is over, whatever was killed. */
export async function judgeRuns(stage: Stage): Promise<string[]> {
  const broken: string[] = [];
  const { log } = stage;
  const runs = await allRuns(stage);
  for (const run of runs) {
    const ends = (await stage.events(run.run_id)).filter(({ type }) => isTerminalRunType(type));
    if (ends.length !== 1) broken.push(`${run.run_id} has ${ends.length} terminal events`);
    if (!isOver(run)) broken.push(`the row of ${run.run_id} says ${run.status}`);
  }
  for (const table of ["queue", "workspaces"] as const) {
    const { rows } = await log.rows.list(table);
    const left = rows.filter((row) => row.run_id !== null);
    if (left.length > 0) broken.push(`${table} still has ${JSON.stringify(left)}`);
  }
  const commands = (await log.rows.list("commands", { where: { done_at: null } })).rows;
  if (commands.length > 0) broken.push(`nobody ended the commands ${commands.map(({ kind }) => kind).join(", ")}`);
  const approvals = (await log.rows.list("approvals", { where: { status: "pending" } })).rows;
  if (approvals.length > 0) broken.push(`${approvals.length} approvals still wait`);
  const { rows: artifacts } = await log.rows.list("artifacts", { limit: 200 });
  if (artifacts.some(({ pending }) => pending !== null))
    broken.push("a change of files is neither finished nor undone");
  broken.push(...(await violations(stage, runs)));
  broken.push(...(await projectionProblems(stage)));
  return broken;
}

/** Rows and the events that they follow from are one commit, so they agree at every moment, also while a run goes on. */
export async function projectionProblems(stage: Stage): Promise<string[]> {
  const { log } = stage;
  const progress = async () => (await allRuns(stage)).map(({ last_sequence }) => last_sequence).join();
  for (;;) {
    const before = await progress();
    const found: string[] = [];
    for await (const { expected: _, ...difference } of differences(log, await rebuild(log))) {
      found.push(`a projection differs from the events: ${JSON.stringify(difference)}`);
    }
    // What changed meanwhile cannot be compared.
    if (found.length === 0 || before === (await progress())) return found;
  }
}

/** Nothing is done twice, and a run that completed has done everything. */
function effectsProblems(effects: readonly string[], status: string): string[] {
  const twice = effects.filter((line, index) => effects.indexOf(line) !== index);
  if (twice.length > 0) return [`was done twice: ${twice.join(", ")}`];
  if (status === "completed" && !effects.includes("last")) return ["the run completed without its last effect"];
  return [];
}

async function violations(stage: Stage, runs: readonly { run_id: string }[]): Promise<string[]> {
  const checker = createStreamChecker();
  const found = [];
  for (const { run_id } of runs) for (const each of await stage.events(run_id)) found.push(...checker.add(each));
  return [...found, ...checker.end()].map(({ run, finding }) => `the contract is broken: ${run} ${finding.message}`);
}

/** The processes that carry the mark of a run, although it is over. */
export async function processesLeft(stage: Stage, run_id: string): Promise<string[]> {
  const isMarked = createMarkCheck(unprefixed("run", run_id));
  const left = () => readProcessTable().filter(isMarked);
  try {
    await stage.until("the end of all processes", () => left().length === 0);
    return [];
  } catch {
    return [
      `processes of ${run_id} are left: ${left()
        .map(({ pid }) => pid)
        .join(", ")}`,
    ];
  }
}

/** Every run of the log, the newest first. */
export async function allRuns({ log }: Stage): Promise<StoredRun[]> {
  const all: StoredRun[] = [];
  for (let before: string | undefined, more = true; more; before = all.at(-1)?.run_id) {
    const page = await log.runs({ limit: 200, ...(before !== undefined && { before }) });
    all.push(...page.runs);
    more = page.more;
  }
  return all;
}
