import { LogError } from "../../log/errors.ts";
import type { Log } from "../../log/log.ts";
import { dataDirectory, logExists, openLog } from "../../log/open.ts";
import { ApprovalError } from "../../runtime/approvals/approval-error.ts";
import { CommandError } from "../../runtime/commands/command-error.ts";
import { ExitError } from "../exit-error.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import type { DataOption } from "./with-log.ts";

/**
 * Opens the log of a data directory to change something in it, and closes it after `work`. A server that runs on the directory
 * sees every change at once. Errors of the log, and refusals, end the command.
 */
export async function withWritableLog<T>({ data }: DataOption, work: (log: Log) => Promise<T>): Promise<T> {
  const directory = data ?? dataDirectory();
  try {
    if (!logExists(directory)) {
      throw new ExitError(1, `Nothing is recorded in ${terminalSafe(directory)} yet. Record a run with \`spoor run\`.`);
    }
    const log = await openLog({ directory, lockWaitMs: LOCK_WAIT_MS });
    try {
      return await work(log);
    } finally {
      await log.close();
    }
  } catch (error) {
    if (error instanceof LogError || error instanceof ApprovalError || error instanceof CommandError) {
      throw new ExitError(1, `${terminalSafe(error.message)} ${error.hint}`);
    }
    throw error;
  }
}

/** A person waits in front of the terminal. */
const LOCK_WAIT_MS = 30_000;
