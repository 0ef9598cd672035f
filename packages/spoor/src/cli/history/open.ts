import { statSync } from "node:fs";
import { LogError } from "../../log/errors.ts";
import type { Log } from "../../log/log.ts";
import { dataDirectory, openLog } from "../../log/open.ts";
import type { RunRecord } from "../../log/records.ts";
import { logFile } from "../../log/sqlite/connection.ts";
import { ExitError } from "../exit-error.ts";
import { visible } from "../visible.ts";

export interface DataOption {
  data?: string;
}

/** Opens the log that is there, lets `work` use it, and closes it whatever happens. What the log says goes to people. */
export async function withLog<T>({ data }: DataOption, work: (log: Log) => Promise<T>): Promise<T> {
  const directory = data ?? dataDirectory();
  if (isMissing(logFile(directory))) {
    throw new ExitError(1, `Nothing is recorded in ${visible(directory)} yet. Record a run with \`spoor run\`.`);
  }
  try {
    const log = openLog({ directory });
    try {
      return await work(log);
    } finally {
      await log.close();
    }
  } catch (error) {
    if (error instanceof LogError) throw new ExitError(1, `${visible(error.message)} ${error.hint}`);
    throw error;
  }
}

/** A place we may not look into is not an empty one: opening it says why. */
function isMissing(file: string): boolean {
  try {
    statSync(file);
    return false;
  } catch (error) {
    return ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
  }
}

/** The run a person means: its id, the end of its id, or the newest when nothing or `last` is said. */
export async function findRun(log: Log, said: string | undefined): Promise<RunRecord> {
  if (said === undefined || said === "last") {
    const newest = (await log.runs({ limit: 1, hide_renormalized: true })).runs[0];
    if (newest) return newest;
    throw new ExitError(1, "Nothing is recorded yet. Record a run with `spoor run`.");
  }
  const exact = await log.run(said);
  if (exact) return exact;
  const meant = said.length >= 4 ? await runsEndingWith(log, said) : [];
  if (meant.length === 1 && meant[0]) return meant[0];
  const why = meant.length > 1 ? `${meant.length} runs end with` : "There is no run";
  throw new ExitError(1, `${why} "${visible(said)}". \`spoor ls\` lists the runs there are.`);
}

async function runsEndingWith(log: Log, said: string): Promise<RunRecord[]> {
  const found: RunRecord[] = [];
  let before: string | undefined;
  for (let more = true; more; ) {
    const page = await log.runs({ limit: 1_000, ...(before !== undefined && { before }) });
    found.push(...page.runs.filter(({ run_id }) => endsWith(run_id, said)));
    before = page.runs.at(-1)?.run_id;
    more = page.more && before !== undefined;
  }
  return found;
}

/** Whether it is among the runs that the other filters ask for. */
export const isWanted = (run: RunRecord, { agent, task }: { agent?: string; task?: string }): boolean =>
  (agent === undefined || run.agent === agent) && (task === undefined || run.task_id === task);

const endsWith = (run_id: string, said: string): boolean => run_id.toLowerCase().endsWith(said.toLowerCase());
