import { Count, Instant, Key, oneOf, optional, Text } from "../schema.ts";
import { dotted } from "./define.ts";

export const gapDefinitions = [
  dotted("gap.events_pruned", "core", "The run's beginning was pruned. Stands in the last pruned slot.", {
    first_pruned_sequence: Count("First that is gone."),
    last_pruned_sequence: Count("Last that is gone; this event's own sequence."),
    pruned_at: Instant("When."),
    reason: oneOf(["retention_window", "retention_count", "retention_size", "operator"], "Which limit, or who."),
    agent: optional(Key("The agent that runs, for a reader that joins here.")),
  }),
  dotted("gap.run_disconnected", "core", "The run lost its worker and was picked up again.", {
    reason: oneOf(["boot_reconcile", "worker_lease_expired", "resume_checkpoint_unavailable"], "How it was lost."),
    action: optional(oneOf(["requeued", "start_fresh"], "How it goes on.")),
    since_sequence: optional(Count("Last event before the loss.")),
    since_at: optional(Instant("When it was lost.")),
    message: optional(Text("What was found.")),
    prior_status: optional(Text("Status before.")),
    recovered_status: optional(Text("Status after.")),
    recovery_strategy: optional(oneOf(["requeue", "periodic_requeue"], "What found it.")),
    stale_threshold_ms: optional(Count("Silence beyond this counts as lost.")),
  }),
  dotted(
    "gap.events_lost",
    "additive",
    "Events were lost: the store is damaged there, or its end was lost. Stands in the last lost slot.",
    {
      first_lost_sequence: Count("First that cannot be read."),
      last_lost_sequence: Count("Last that cannot be read; this event's own sequence."),
      detected_at: Instant(
        "When a lost end was found. Damage is found anew by every read: there it is the time of the last event before it.",
      ),
      reason: oneOf(
        ["corrupt", "truncated", "missing"],
        "`truncated`: the end was lost, and this event is stored in its place. Else it is made by whoever reads.",
      ),
      agent: optional(Key("The agent that runs, for a reader that joins here.")),
    },
  ),
  dotted(
    "gap.recording_limited",
    "additive",
    "The run has as much recorded as it may: what follows is missing, but for costs and its end.",
    {
      limit_bytes: Count("How much of a run is recorded, in bytes of events and raw lines."),
      recorded_bytes: Count("How much was recorded when the limit was noticed."),
      message: optional(Text("What to do about it.")),
    },
  ),
] as const;
