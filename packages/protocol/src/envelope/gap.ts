import { Count, Instant, Key, oneOf, optional, Text } from "../schema.ts";
import { artifactKinds } from "./artifact.ts";
import { dotted } from "./define.ts";

export const gapDefinitions = [
  dotted(
    "gap.events_pruned",
    "core",
    "The beginning of the run was pruned. This event takes the sequence of the last pruned event.",
    {
      first_pruned_sequence: Count("The first pruned sequence."),
      last_pruned_sequence: Count("The last pruned sequence, which is this event's own."),
      pruned_at: Instant("When the events were pruned."),
      reason: oneOf(
        ["retention_window", "retention_count", "retention_size", "operator"],
        "Which retention limit was reached, or that an operator pruned the run.",
      ),
      agent: optional(Key("The agent of the run, for a reader that starts here.")),
    },
  ),
  dotted("gap.run_disconnected", "core", "The run lost its worker and was picked up again.", {
    reason: oneOf(
      ["boot_reconcile", "worker_lease_expired", "resume_checkpoint_unavailable"],
      "How the worker was lost.",
    ),
    action: optional(oneOf(["requeued", "start_fresh", "failed"], "How the run continues, or that it failed.")),
    since_sequence: optional(Count("The last event before the loss.")),
    since_at: optional(Instant("When the worker was lost.")),
    message: optional(Text("What was found.")),
    prior_status: optional(Text("Status before.")),
    recovered_status: optional(Text("Status after.")),
    recovery_strategy: optional(oneOf(["requeue", "periodic_requeue"], "What detected the loss.")),
    stale_threshold_ms: optional(Count("A worker that is silent for longer counts as lost.")),
  }),
  dotted(
    "gap.events_lost",
    "additive",
    "Events were lost, because the store is damaged or its end is missing. This event takes the sequence of the last lost event.",
    {
      first_lost_sequence: Count("The first sequence that cannot be read."),
      last_lost_sequence: Count("The last sequence that cannot be read, which is this event's own."),
      detected_at: Instant(
        "When the missing end was detected. For damage, which every read detects anew, it is the time of the last event before the damage.",
      ),
      reason: oneOf(
        ["corrupt", "truncated", "missing"],
        "`truncated`: the end was lost, and this event is stored in its place. Otherwise the reader creates this event.",
      ),
      agent: optional(Key("The agent of the run, for a reader that starts here.")),
    },
  ),
  dotted(
    "gap.artifact_capped",
    "additive",
    "An artifact was not stored, or not whole, because a size limit was reached.",
    {
      limit: oneOf(
        ["artifact", "task", "store"],
        "What is limited: one artifact, all of the task's, or the whole store.",
      ),
      limit_bytes: Count("The limit in bytes."),
      size_bytes: Count("The size of the artifact."),
      kind: optional(oneOf(artifactKinds, "The kind of artifact.")),
      artifact_id: optional(Key("The artifact, if a part of it or its record was stored.")),
      tool_call_id: optional(Key("The call that made it.")),
      path: optional(Key("For a patch: the file.")),
      message: optional(Text("What to do about it.")),
    },
  ),
  dotted(
    "gap.recording_limited",
    "additive",
    "The recording limit of the run was reached. Later events are missing, except costs and the end of the run.",
    {
      limit_bytes: Count("The recording limit, in bytes of events and raw lines."),
      recorded_bytes: Count("How many bytes were recorded when the limit was reached."),
      message: optional(Text("What to do about it.")),
    },
  ),
] as const;
