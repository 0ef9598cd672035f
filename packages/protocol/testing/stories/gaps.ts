import type { Envelope } from "../../src/envelope/envelope.ts";
import { Story } from "../story.ts";
import { success } from "./work.ts";

/** The worker dies, and another worker continues the run. */
export const disconnected = (): Story =>
  new Story("Count the files.")
    .fact("gap.run_disconnected", {
      reason: "worker_lease_expired",
      action: "requeued",
      since_sequence: 2,
      since_at: "2026-11-02T08:59:00Z",
      prior_status: "running",
      recovered_status: "queued",
      recovery_strategy: "periodic_requeue",
      stale_threshold_ms: 90_000,
    })
    .begin()
    .turn()
    .message("There are 12.")
    .endTurn()
    .end();

/** An agent prints without end: its output is recorded up to the limit, then only the end of the run. */
export const limited = (): Story =>
  new Story("Print the log.")
    .begin()
    .turn()
    .message("Line after line.")
    .endTurn()
    .fact("gap.recording_limited", {
      limit_bytes: 1_073_741_824,
      recorded_bytes: 1_073_745_920,
      message: "Raise --max-recorded to record more.",
    })
    .end();

/** A finished run whose beginning was pruned. The gap has the sequence of the last pruned event. */
export function pruned(): string[] {
  const lines = success().envelopes();
  const cut = 30;
  const { sequence, occurred_at, ...rest }: Envelope = JSON.parse(lines[cut] ?? "");
  const gap = {
    ...rest,
    event_id: "evt_01K9ZD00000000000000000001",
    sequence,
    occurred_at,
    type: "gap.events_pruned",
    data: {
      first_pruned_sequence: 0,
      last_pruned_sequence: cut,
      pruned_at: "2026-11-09T09:00:00Z",
      reason: "retention_window",
      agent: "claude",
    },
  };
  return [JSON.stringify(gap), ...lines.slice(cut + 1)];
}

/** Damage in the store: three events between two turns cannot be read. */
export function lost(): string[] {
  const lines = success().envelopes();
  const first = lines.findIndex((line) => JSON.parse(line).type === "cost.tick");
  const { sequence, ...rest }: Envelope = JSON.parse(lines[first] ?? "");
  const gap = {
    ...rest,
    sequence,
    type: "gap.events_lost",
    data: {
      first_lost_sequence: sequence,
      last_lost_sequence: sequence,
      detected_at: "2026-11-09T09:00:00Z",
      reason: "corrupt",
    },
  };
  return lines.with(first, JSON.stringify(gap));
}
