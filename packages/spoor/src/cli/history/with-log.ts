import { LogError } from "../../log/errors.ts";
import type { Log } from "../../log/log.ts";
import { dataDirectory, logExists, openLogToRead } from "../../log/open.ts";
import { ExitError } from "../exit-error.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

export interface DataOption {
  data?: string;
}

/** Opens the log of a data directory, passes it to `work`, and closes it. An error of the log ends the command. */
export const withLog = <T>(option: DataOption, work: (log: Log) => Promise<T>): Promise<T> =>
  withOpenLog(option, openLogToRead, work, [LogError]);

/** The class of an error that tells a person what to do. */
type Refusal = abstract new (...args: never) => Error & { readonly hint: string };

/** The same for a log that `open` opens. Errors of the given classes end the command. */
export async function withOpenLog<T>(
  { data }: DataOption,
  open: (options: { directory: string; lockWaitMs: number }) => Promise<Log>,
  work: (log: Log) => Promise<T>,
  refusals: readonly Refusal[],
): Promise<T> {
  const directory = data ?? dataDirectory();
  try {
    if (!logExists(directory)) {
      throw new ExitError(1, `Nothing is recorded in ${terminalSafe(directory)} yet. Record a run with \`spoor run\`.`);
    }
    const log = await open({ directory, lockWaitMs: LOCK_WAIT_MS });
    try {
      return await work(log);
    } finally {
      await log.close();
    }
  } catch (error) {
    const refusal = refusals.find((kind) => error instanceof kind) && (error as InstanceType<Refusal>);
    if (refusal) throw new ExitError(1, `${terminalSafe(refusal.message)} ${refusal.hint}`);
    throw error;
  }
}

/** A person waits in front of the terminal, so this is shorter than the default. */
const LOCK_WAIT_MS = 30_000;
