import type { RunView } from "@spoor/protocol";
import type { RunRecord } from "@spoor/protocol/client";
import type { RunSnapshot } from "../../live/run-snapshot.ts";

/** The snapshot of a run as it was. Views draw it like any other; `replay` tells them to offer no action. */
export function pastSnapshot(live: RunSnapshot, view: RunView, at: number): RunSnapshot {
  const past: RunSnapshot = { state: "ready", view, replay: { at } };
  return live.record ? { ...past, record: pastRecord(live.record, view) } : past;
}

/** The row of the run as it was: what changes with time comes from the view. */
function pastRecord(record: RunRecord, view: RunView): RunRecord {
  const past: Partial<RunRecord> & RunRecord = {
    ...record,
    status: statuses[view.status] ?? "running",
    state: view.state,
    turns: view.turns.length,
    cost_micros_usd: view.cost.micros,
    last_sequence: view.lastSequence,
  };
  for (const name of ofNow) delete past[name];
  return view.end?.at === undefined ? past : { ...past, ended_at: view.end.at };
}

/** What a record says only about the present. */
const ofNow = ["ended_at", "now", "stalled", "pending", "paused", "parked", "cancelling", "error_code"] as const;

const statuses: { readonly [Status in RunView["status"]]?: RunRecord["status"] } = {
  created: "queued",
  queued: "queued",
  awaiting_approval: "awaiting_approval",
  completed: "completed",
  failed: "failed",
  cancelled: "cancelled",
};
