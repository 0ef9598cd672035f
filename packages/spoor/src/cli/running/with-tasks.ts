import path from "node:path";
import { LogError } from "../../log/errors.ts";
import type { Log } from "../../log/log.ts";
import { dataDirectory, openLog } from "../../log/open.ts";
import { runJson } from "../../log/record-json.ts";
import { isOver, type StoredRun } from "../../log/records.ts";
import { loop } from "../../loop/loop-kind.ts";
import { handOverRun } from "../../runtime/queue/hand-over.ts";
import { EXECUTOR_LOG } from "../../runtime/queue/launch-process.ts";
import { isServed } from "../../runtime/relay/socket-file.ts";
import { type TaskContext, TaskError } from "../../runtime/tasks/index.ts";
import { ExitError } from "../exit-error.ts";
import type { DataOption } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { printJson } from "../output/json.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

/** Opens the log to change tasks, passes it to `work`, and closes it. Refusals end the command with their reason. */
export async function withTasks<T>({ data }: DataOption, work: (context: TaskContext) => Promise<T>): Promise<T> {
  const directory = path.resolve(data ?? dataDirectory());
  try {
    const log = await openLog({ directory });
    try {
      return await work({ log, directory, by: "cli", kinds: [loop] });
    } finally {
      await log.close();
    }
  } catch (error) {
    if (error instanceof TaskError) throw new ExitError(taskExitCodes[error.code] ?? 1, terminalSafe(error.message));
    if (error instanceof LogError) throw new ExitError(1, `${terminalSafe(error.message)} ${error.hint}`);
    throw error;
  }
}

/** How a command ends that a task refuses. Everything else ends with 1. */
export const taskExitCodes: Partial<Record<TaskError["code"], number>> = { invalid: 2, model_not_configured: 5 };

export interface PrintRunOptions {
  json?: true;
}

/**
 * Sees to it that somebody performs a new run, and prints it. A server's worker takes it if a server runs; otherwise a
 * process of its own is started, which survives this terminal.
 */
export async function handOver(
  context: TaskContext,
  { run_id }: StoredRun,
  { json }: PrintRunOptions,
  io: Io,
): Promise<void> {
  const { directory } = context;
  const run = await handOverRun(context, run_id);
  if (run.status === "queued" && !(await isServed(directory))) {
    const file = path.join(directory, EXECUTOR_LOG);
    io.stderr.write(
      `Nothing took the run yet, so it stays queued. ${terminalSafe(file)} may say why; \`spoor work\` takes queued runs.\n`,
    );
  }
  if (json) printJson(io.stdout, runJson(run));
  else io.stdout.write(`${run_id} ${wordsOf(run)}\n`);
}

/** If a command has queued a run and no server performs it, a process of its own does. */
export const handOverQueued = (log: Log, run_id: string, data = dataDirectory()): Promise<StoredRun> =>
  handOverRun({ log, directory: path.resolve(data) }, run_id);

function wordsOf(run: StoredRun): string {
  const { run_id, status } = run;
  if (status === "awaiting_approval") return "waits for an approval: `spoor approvals` lists it.";
  if (isOver(run)) return `is ${status}. See it with \`spoor show ${run_id}\`.`;
  return `is ${status}. Follow it with \`spoor tail ${run_id}\`, end it with \`spoor cancel ${run_id}\`.`;
}
