import type { Lifecycle } from "./lifecycle.ts";
import type { Step } from "./steps.ts";
import * as step from "./steps.ts";

const { begun, proposed, answer, commandStart, commandEnd } = step;
const gate: readonly Step[] = [
  step.created({ status: "awaiting_approval" }),
  ["run.awaiting_approval", {}],
  step.asked(),
];

/** Runs that wait for a person, before their start or in the middle of it. */
export const approvals = {
  approved: {
    order:
      "run.created run.queued run.started user.message session.started turn.started(1) … assistant.tool_call_proposed tool.invoked cost.token_usage|cost.tick* run.checkpoint_saved? approval.requested approval.resolved{approved} run.queued{resume} run.started tool.started … tool.completed tool.file_write.proposed|tool.file.patch|artifact.created|tool.file_write.applied* turn.completed(1) run.checkpoint_saved turn.started(2) … run.finished task.updated",
    steps: [
      ...begun,
      ...proposed(1),
      step.asked(1),
      step.resolved("approved"),
      step.queued({ resume: true }),
      step.started(),
      ...commandStart(1),
      ...commandEnd(1),
      step.turnEnd(1),
      step.checkpoint(1),
      ...answer(2),
    ],
    state: "done",
    status: "completed",
  },
  "rejected-ours": {
    order:
      "run.created … approval.requested approval.resolved{rejected} tool.cancelled turn.completed error.reported{APPROVAL_REJECTED} session.ended run.failed{approval_rejected} task.updated",
    steps: [
      ...begun,
      ...proposed(1),
      step.asked(1),
      step.resolved("rejected"),
      step.cancelledCall(1, "Rejected by operator."),
      step.turnEnd(1),
      step.fatal("APPROVAL_REJECTED", "The approval was rejected."),
      step.sessionEnd(1),
      step.failed("approval_rejected", "The approval was rejected."),
      step.taskUpdated,
    ],
    state: "error",
    status: "failed",
  },
  "rejected-external": {
    order:
      "run.created … approval.requested approval.resolved{rejected} tool.cancelled|tool.failed … turn.completed … run.finished task.updated?",
    steps: [
      ...begun,
      ...proposed(1),
      step.asked(1),
      step.resolved("rejected"),
      step.cancelledCall(1, "Rejected by operator."),
      step.turnEnd(1),
      ...answer(2),
    ],
    state: "done",
    status: "completed",
  },
  "timed-out": {
    order:
      "run.created … approval.requested approval.timed_out tool.cancelled turn.completed error.reported{APPROVAL_TIMED_OUT} session.ended run.failed{approval_timed_out} task.updated",
    steps: [
      ...begun,
      ...proposed(1),
      step.asked(1),
      ["approval.timed_out", { approval_id: step.APPROVAL, after_seconds: 3600, default_action: "reject" }],
      step.cancelledCall(1, "Nobody answered."),
      step.turnEnd(1),
      step.fatal("APPROVAL_TIMED_OUT", "Nobody answered the approval."),
      step.sessionEnd(1),
      step.failed("approval_timed_out", "Nobody answered the approval."),
      step.taskUpdated,
    ],
    state: "error",
    status: "failed",
  },
  "gate-approved": {
    order:
      "run.created{awaiting_approval} run.awaiting_approval approval.requested approval.resolved{approved} run.queued run.started user.message session.started … run.finished task.updated",
    steps: [
      ...gate,
      step.resolved("approved", "task"),
      step.queued(),
      step.started(),
      step.prompt(),
      step.session(),
      ...answer(1),
    ],
    state: "done",
    status: "completed",
  },
  "gate-rejected": {
    order:
      "run.created{awaiting_approval} run.awaiting_approval approval.requested approval.resolved{rejected} run.failed{approval_rejected} task.updated",
    steps: [
      ...gate,
      step.resolved("rejected", "task"),
      step.failed("approval_rejected", "The approval was rejected."),
      step.taskUpdated,
    ],
    state: "error",
    status: "failed",
  },
  "gate-cancelled": {
    order:
      "run.created{awaiting_approval} run.awaiting_approval approval.requested approval.resolved{cancelled} run.cancelled task.updated",
    steps: [...gate, step.resolved("cancelled", "task"), step.cancelled, step.taskUpdated],
    state: "done",
    status: "cancelled",
  },
} as const satisfies Readonly<Record<string, Lifecycle>>;
