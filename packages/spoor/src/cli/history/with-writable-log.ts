import { LogError } from "../../log/errors.ts";
import type { Log } from "../../log/log.ts";
import { openLog } from "../../log/open.ts";
import { ApprovalError } from "../../runtime/approvals/approval-error.ts";
import { CommandError } from "../../runtime/commands/command-error.ts";
import { type DataOption, withOpenLog } from "./with-log.ts";

/**
 * Opens the log of a data directory to change something in it, and closes it after `work`. A server that runs on the directory
 * sees every change at once. Errors of the log, and refusals, end the command.
 */
export const withWritableLog = <T>(option: DataOption, work: (log: Log) => Promise<T>): Promise<T> =>
  withOpenLog(option, openLog, work, [LogError, ApprovalError, CommandError]);
