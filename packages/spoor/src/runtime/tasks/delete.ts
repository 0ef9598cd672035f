import { LogError } from "../../log/errors.ts";
import type { TaskContext } from "./context.ts";
import { TaskError } from "./task-error.ts";

/**
 * Deletes a task: it is not listed any more and cannot be started. Its runs and their events stay.
 *
 * @throws {TaskError} `run_active` if a run of the task is not over.
 * @example
 * await deleteTask({ log }, "task_01K9ZC0000SP00R00000000000");
 */
export async function deleteTask({ log }: Pick<TaskContext, "log">, task_id: string): Promise<void> {
  const task = await log.rows.find("tasks", task_id);
  if (!task || task.deleted_at !== null) throw new TaskError("task_not_found", `There is no task ${task_id}.`);
  const at = Date.now();
  try {
    await log.rows.write([
      {
        do: "update",
        table: "tasks",
        key: task_id,
        when: { active_run_id: null, deleted_at: null },
        set: { deleted_at: at, updated_at: at },
      },
    ]);
  } catch (error) {
    if (!(error instanceof LogError && error.code === "conflict")) throw error;
    const run_id = error.row?.active_run_id;
    if (typeof run_id !== "string") throw new TaskError("task_not_found", `There is no task ${task_id}.`);
    const message = `The task ${task_id} has a run that is not over: ${run_id}. Cancel it first.`;
    throw new TaskError("run_active", message, { run_id, task_id });
  }
}
