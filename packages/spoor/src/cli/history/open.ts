import { existsSync } from "node:fs";
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
  if (!existsSync(logFile(directory))) {
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

/** The run a person means: its id, the end of its id, or the newest when nothing or `last` is said. */
export async function findRun(log: Log, said: string | undefined): Promise<RunRecord> {
  if (said === undefined || said === "last") {
    const newest = (await log.runs({ limit: 1 })).runs[0];
    if (newest) return newest;
    throw new ExitError(1, "Nothing is recorded yet. Record a run with `spoor run`.");
  }
  const exact = await log.run(said);
  if (exact) return exact;
  const meant =
    said.length >= 4 ? (await log.runs({ limit: 1_000 })).runs.filter(({ run_id }) => endsWith(run_id, said)) : [];
  if (meant.length === 1 && meant[0]) return meant[0];
  const why = meant.length > 1 ? `${meant.length} runs end with` : "There is no run";
  throw new ExitError(1, `${why} "${visible(said)}". \`spoor ls\` lists the runs there are.`);
}

const endsWith = (run_id: string, said: string): boolean => run_id.toLowerCase().endsWith(said.toLowerCase());
