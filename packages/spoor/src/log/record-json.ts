import type * as api from "@spoor/protocol/api";
import { instant } from "@spoor/protocol/write";
import type { StoredRun, StoredTask } from "./records.ts";

/** A run's record as it is printed and served: with times in RFC 3339 instead of epoch milliseconds. */
export const runJson = ({ created_at, updated_at, ended_at, epoch: _, ...run }: StoredRun): api.RunRecord => ({
  ...run,
  created_at: instant(created_at),
  updated_at: instant(updated_at),
  ...(ended_at !== undefined && { ended_at: instant(ended_at) }),
});

export const taskJson = ({ created_at, updated_at, spec, ...task }: StoredTask): api.TaskRecord => ({
  ...task,
  ...(spec !== undefined && { spec: JSON.parse(spec) as Record<string, unknown> }),
  created_at: instant(created_at),
  updated_at: instant(updated_at),
});
