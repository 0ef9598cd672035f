import type * as api from "@spoor/protocol/api";
import { instant } from "@spoor/protocol/lines";
import type { DerivedState, RunStatus, StoredRun, StoredTask } from "./records.ts";

/** A run's record as it is printed and served: with times in RFC 3339 instead of epoch milliseconds. */
export function runJson(stored: StoredRun): api.RunRecord {
  const { created_at, updated_at, ended_at, last_activity, epoch: _, agent_process: _own, ...run } = stored;
  return {
    ...run,
    state: stateOf(stored),
    last_activity: instant(last_activity ?? ended_at ?? updated_at),
    created_at: instant(created_at),
    updated_at: instant(updated_at),
    ...(ended_at !== undefined && { ended_at: instant(ended_at) }),
  };
}

/** Rows of older versions have no state, so it is taken from the status. */
export const stateOf = ({ state, status }: { state?: DerivedState | undefined; status: RunStatus }): DerivedState =>
  state ?? stateByStatus[status];

const stateByStatus: Readonly<Record<RunStatus, DerivedState>> = {
  queued: "idle",
  awaiting_approval: "blocked",
  running: "working",
  completed: "done",
  failed: "error",
  cancelled: "done",
};

export const taskJson = ({ created_at, updated_at, spec, ...task }: StoredTask): api.TaskRecord => ({
  ...task,
  ...(spec !== undefined && { spec: JSON.parse(spec) as Record<string, unknown> }),
  created_at: instant(created_at),
  updated_at: instant(updated_at),
});
