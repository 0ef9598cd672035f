import { isTerminalRunType } from "@spoor/protocol/write";
import type { Projection } from "./projection.ts";

/** The table `tasks`: which run of a task is active. */
export const projectTasks: Projection = ({ type, data, at }, { run_id, task_id }) => {
  // Runs that were not started through a task, such as those of subagents, do not occupy it.
  if (type === "run.created" && data.spec !== undefined && data.parent_run_id === undefined) {
    return [
      {
        do: "update",
        table: "tasks",
        key: task_id,
        when: { active_run_id: null, deleted_at: null },
        set: { active_run_id: run_id, updated_at: at },
      },
    ];
  }
  if (!isTerminalRunType(type)) return [];
  return [
    {
      do: "update",
      table: "tasks",
      key: task_id,
      when: { active_run_id: run_id },
      set: { active_run_id: null, updated_at: at },
      ifDiffers: "keep",
    },
  ];
};
