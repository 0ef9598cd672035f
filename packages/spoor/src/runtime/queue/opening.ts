import { instant } from "@spoor/protocol/lines";
import type { LogDraft } from "../../log/log.ts";
import type { Lease, Opening } from "../../log/queue.ts";
import type { RunExecutor, StoredRun } from "../../log/records.ts";
import { snapshotKindOf } from "../changes/open-tracker.ts";
import { factsAfter } from "../projections/run-facts.ts";
import { lastModelStep } from "../projections/step-id.ts";

/** What is appended when a worker takes a run: `run.started` with where it resumes, and the facts that go with it. */
export function openingOf(
  run: StoredRun,
  lease: Lease,
  executor: RunExecutor,
  directory: string,
  launcher_id?: string,
): Opening {
  const { worker_id, lease_until } = lease;
  const at = Date.now();
  const snapshots = snapshotsOf(run, directory);
  const attempt = run.attempt ?? 1;
  const launched = launcher_id !== undefined && { launcher_id };
  const by = { worker_id, lease_until: instant(lease_until), executor, ...launched, attempt };
  const started = { ...by, ...(snapshots && { snapshots }), ...resumedFrom(run) };
  const drafts = [draft("run.started", at, started), ...(run.paused ? [draft("run.unpaused", at, {})] : [])];
  return {
    drafts,
    facts: { ...factsAfter(run, drafts), status: "running", worker_id, executor, attempt, parked: null, paused: null },
  };
}

/** How changes of files will be found. A run that changes one file needs no snapshots. */
const snapshotsOf = ({ kind, workspace_path: cwd }: StoredRun, directory: string): string | undefined =>
  kind !== "file" && cwd !== undefined ? snapshotKindOf({ cwd, directory }) : undefined;

/** A run that was started before resumes after its own last event, a new one after the last event of the run it continues. */
function resumedFrom(run: StoredRun): Record<string, unknown> {
  const { run_id, last_sequence, prior_run_id, prior_sequence, prior_step_id } = run;
  if (run.attempt !== undefined) return cursor(run_id, lastModelStep(run), last_sequence);
  return prior_run_id === undefined ? {} : cursor(prior_run_id, prior_step_id, prior_sequence);
}

const cursor = (run_id: string, step_id: string | undefined, sequence: number | undefined) => ({
  resume_from_run_id: run_id,
  ...(step_id !== undefined && { resume_from_step_id: step_id }),
  ...(sequence !== undefined && { resume_from_event_sequence: sequence }),
});

const draft = (type: string, timestamp: number, data: object): LogDraft => ({
  type,
  timestamp,
  json: JSON.stringify(data),
});
