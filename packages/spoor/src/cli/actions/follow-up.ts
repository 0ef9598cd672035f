import { type FollowUp, followUp, startTask } from "../../runtime/tasks/index.ts";
import { findRun, findTask } from "../history/find-run.ts";
import type { DataOption } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { handOver, withTasks } from "../running/with-tasks.ts";

export interface FollowUpCommandOptions extends DataOption {
  json?: true;
  reason?: string;
  fromTurn?: number;
}

/** `spoor start`: makes a run of a task. */
export function start(typed: string, options: FollowUpCommandOptions, io: Io): Promise<void> {
  return withTasks(options, async (context) => {
    const { task_id } = await findTask(context.log, typed);
    await handOver(context, await startTask(context, task_id, { reason: options.reason }), options, io);
  });
}

/** `spoor retry`, `spoor continue` and `spoor fork`: make a run that goes on from an earlier one. */
export function follow(
  way: FollowUp,
  typed: string,
  prompt: string | undefined,
  options: FollowUpCommandOptions,
  io: Io,
): Promise<void> {
  return withTasks(options, async (context) => {
    const { run_id } = await findRun(context.log, typed);
    const asked = options.fromTurn === undefined ? way : "retry-from-turn";
    const run = await followUp(context, asked, run_id, { prompt, reason: options.reason, turn: options.fromTurn });
    await handOver(context, run, options, io);
  });
}
