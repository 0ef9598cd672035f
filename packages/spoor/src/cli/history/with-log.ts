import { LogError } from "../../log/errors.ts";
import type { Log } from "../../log/log.ts";
import { dataDirectory, logExists, openLogToRead } from "../../log/open.ts";
import { ExitError } from "../exit-error.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

export interface DataOption {
  data?: string;
}

/** Opens the log of a data directory, passes it to `work`, and closes it. An error of the log ends the command. */
export async function withLog<T>({ data }: DataOption, work: (log: Log) => Promise<T>): Promise<T> {
  const directory = data ?? dataDirectory();
  try {
    if (!logExists(directory)) {
      throw new ExitError(1, `Nothing is recorded in ${terminalSafe(directory)} yet. Record a run with \`spoor run\`.`);
    }
    const log = await openLogToRead({ directory, lockWaitMs: LOCK_WAIT_MS });
    try {
      return await work(log);
    } finally {
      await log.close();
    }
  } catch (error) {
    if (error instanceof LogError) throw new ExitError(1, `${terminalSafe(error.message)} ${error.hint}`);
    throw error;
  }
}

/** A person waits in front of the terminal, so this is shorter than the default. */
const LOCK_WAIT_MS = 30_000;
