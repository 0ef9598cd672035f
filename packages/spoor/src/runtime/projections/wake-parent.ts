import type { Effect } from "../../log/effects.ts";
import type { StoredRun } from "../../log/records.ts";

/**
 * A run whose subagent waits for a person is queued for the time when that wait ends at the latest. Once the subagent goes on,
 * so does the run.
 */
export const wakeParent = ({ parent_run_id }: Pick<StoredRun, "parent_run_id">): Effect[] =>
  parent_run_id === undefined
    ? []
    : [
        {
          ...{ do: "update", table: "queue", key: parent_run_id },
          ...{ when: { worker_id: null }, set: { due_at: 0 }, ifDiffers: "keep" },
        },
      ];
