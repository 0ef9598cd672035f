import { taskJson } from "../../log/record-json.ts";
import { deleteTask } from "../../runtime/tasks/index.ts";
import { findTask } from "../history/find-run.ts";
import { statusOf } from "../history/status-of.ts";
import { type DataOption, withLog } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { ago } from "../output/format.ts";
import { printJson } from "../output/json.ts";
import { plural } from "../output/plural.ts";
import { styleOf } from "../output/style.ts";
import { table } from "../output/table.ts";
import { terminalSafe, terminalSafeLines } from "../output/terminal-safe.ts";
import { withTasks } from "../running/with-tasks.ts";

export interface TaskOptions extends DataOption {
  json?: true;
}

export function listTasks({ json, limit, ...data }: TaskOptions & { limit: number }, io: Io): Promise<void> {
  return withLog(data, async (log) => {
    const { tasks, more } = await log.tasks({ limit });
    if (json) {
      for (const task of tasks) printJson(io.stdout, taskJson(task));
      return;
    }
    const rows = tasks.map(({ task_id, kind = "", status, run_count, updated_at, title = "" }) => [
      ...[task_id, kind, status, plural(run_count, "run"), ago(updated_at), title],
    ]);
    const headings = ["TASK", "KIND", "STATUS", "RUNS", "CHANGED", "ASKED"];
    io.stdout.write(tasks.length === 0 ? "No tasks.\n" : table([headings, ...rows], styleOf(io.stdout)));
    if (more) io.stdout.write(`There are more tasks: --limit ${limit * 2} lists more.\n`);
  });
}

export function showTask(typed: string, { json, ...data }: TaskOptions, io: Io): Promise<void> {
  return withLog(data, async (log) => {
    const task = await findTask(log, typed);
    const { runs } = await log.runs({ task_id: task.task_id, limit: 50 });
    if (json) return printJson(io.stdout, taskJson(task));
    const { task_id, title = "", status, spec } = task;
    const asked =
      spec === undefined
        ? ""
        : `${terminalSafeLines(JSON.stringify(JSON.parse(spec), null, 2))}
`;
    const rows = runs.map((run) => ["", run.run_id, statusOf(run), ago(run.created_at)]);
    io.stdout.write(
      `${task_id}  ${status}  ${terminalSafe(title)}\n${asked}${runs.length === 0 ? "No runs yet.\n" : table(rows)}`,
    );
  });
}

export function removeTask(typed: string, { json, ...data }: TaskOptions, io: Io): Promise<void> {
  return withTasks(data, async (context) => {
    const { task_id } = await findTask(context.log, typed);
    await deleteTask(context, task_id);
    if (json) printJson(io.stdout, { object: "task.deleted", task_id });
    else io.stdout.write(`${task_id} is deleted. Its runs stay: \`spoor ls\` lists them.\n`);
  });
}
