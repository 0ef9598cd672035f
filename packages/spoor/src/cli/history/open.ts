import { statSync } from "node:fs";
import { LogError } from "../../log/errors.ts";
import type { Log } from "../../log/log.ts";
import { dataDirectory, openLogToRead } from "../../log/open.ts";
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
    const log = await openLogToRead({ directory, lockWaitMs: LOCK_WAIT_MS });
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

/** Whoever waits for this sits in front of it. */
const LOCK_WAIT_MS = 30_000;

/** A place we may not look into is not an empty one: opening it says why. */
function isMissing(file: string): boolean {
  try {
    statSync(file);
    return false;
  } catch (error) {
    return ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
  }
}
