import type * as api from "@spoor/protocol/api";
import { STALLED_AFTER_MS } from "@spoor/protocol/api/values";
import { runJson, stateOf } from "../log/record-json.ts";
import { isOver, type StoredRun } from "../log/records.ts";
import { createWorkerCheck } from "./worker.ts";

/** What is known of a run only at the moment it is looked at. */
export interface Liveness {
  /** Whether the run's process lives; absent if the run is over or if it cannot be known. */
  alive?: boolean;
  /** Set if the run should work and its process lives, but nothing was heard of it for a while. */
  stalled?: true;
}

/** Returns a function that says whether a run's process lives. The process table is read once, and only if it is needed. */
export function createLivenessCheck(
  now = Date.now(),
  isGone: (worker_id: string) => boolean | undefined = lazily(createWorkerCheck),
): (run: StoredRun) => Liveness {
  return (run) => {
    if (isOver(run) || run.worker_id === undefined) return {};
    const gone = isGone(run.worker_id);
    const isSilent = now - (run.last_activity ?? run.updated_at) > STALLED_AFTER_MS;
    return {
      ...(gone !== undefined && { alive: !gone }),
      ...(gone !== true && isSilent && stateOf(run) === "working" && { stalled: true as const }),
    };
  };
}

/** The records of runs as lists show them. */
export function describeRuns(runs: readonly StoredRun[], check = createLivenessCheck()): api.RunRecord[] {
  return runs.map((run) => ({ ...runJson(run), ...check(run) }));
}

function lazily(make: () => (worker_id: string) => boolean | undefined): (worker_id: string) => boolean | undefined {
  let check: ReturnType<typeof make> | undefined;
  return (worker_id) => {
    check ??= make();
    return check(worker_id);
  };
}
