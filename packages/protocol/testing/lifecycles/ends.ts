import type { Lifecycle } from "./lifecycle.ts";
import * as step from "./steps.ts";

const { begun, inQueue, proposed, answer, commandStart } = step;
const patch = { artifact_id: "art_01K9ZC0000PATCH00000000001", path: "a.txt" };
const inverse = "art_01K9ZC0000PATCH00000000002";

/** Runs that are ended or changed from outside: by a cancel, a crash, a budget, a revert. */
export const ends = {
  "cancel-queued": {
    order: "run.created run.queued run.cancelled task.updated",
    steps: [...inQueue, step.cancelled, step.taskUpdated],
    state: "done",
    status: "cancelled",
  },
  "cancel-running": {
    order:
      "run.created … tool.shell.exited tool.cancelled turn.completed run.aborted session.ended run.cancelled task.updated",
    steps: [
      ...begun,
      ...proposed(1),
      ...commandStart(1),
      step.exited(-1),
      step.cancelledCall(1, "The run was cancelled."),
      step.turnEnd(1),
      ["run.aborted", { by: "operator" }],
      step.sessionEnd(1),
      step.cancelled,
      step.taskUpdated,
    ],
    state: "done",
    status: "cancelled",
  },
  "cancel-waiting": {
    order:
      "run.created … approval.requested approval.resolved{cancelled} tool.cancelled turn.completed run.aborted session.ended run.cancelled task.updated",
    steps: [
      ...begun,
      ...proposed(1),
      step.asked(1),
      step.resolved("cancelled"),
      step.cancelledCall(1, "The run was cancelled."),
      step.turnEnd(1),
      ["run.aborted", { by: "operator" }],
      step.sessionEnd(1),
      step.cancelled,
      step.taskUpdated,
    ],
    state: "done",
    status: "cancelled",
  },
  "crash-requeued": {
    order:
      "run.created … tool.started … gap.run_disconnected{worker_lease_expired,requeued} tool.shell.exited? tool.failed turn.failed{will_retry} turn.completed(1) run.queued{resume} run.started turn.started(2) … run.finished task.updated",
    steps: [
      ...begun,
      ...proposed(1),
      ...commandStart(1),
      [
        "gap.run_disconnected",
        {
          reason: "worker_lease_expired",
          action: "requeued",
          prior_status: "running",
          recovered_status: "queued",
          since_sequence: 12,
          since_at: "2026-11-02T09:00:00.130Z",
          recovery_strategy: "periodic_requeue",
          stale_threshold_ms: 90_000,
        },
      ],
      step.exited(-1),
      step.failedCall(1, "Interrupted; it may or may not have happened."),
      ["turn.failed", { turn_index: 1, code: "worker_lost", message: "The worker is gone.", will_retry: true }],
      step.turnEnd(1),
      step.queued({ resume: true }),
      step.started({ worker_id: "worker-2", attempt: 2 }),
      ...answer(2),
    ],
    state: "done",
    status: "completed",
  },
  "budget-stop": {
    order:
      "run.created … cost.tick cost.budget_exceeded{halted} assistant.final_answer? turn.completed error.reported{BUDGET_EXCEEDED} session.ended run.failed{budget_exceeded} task.updated",
    steps: [
      ...begun,
      step.turnStart(1),
      ...step.text(1, "Translating."),
      step.tick(50_240),
      [
        "cost.budget_exceeded",
        { cumulative_cost_micros_usd: 50_240, task_budget_micros_usd: 50_000, action: "halted" },
      ],
      step.turnEnd(1),
      step.fatal("BUDGET_EXCEEDED", "The task's budget is spent."),
      step.sessionEnd(1),
      step.failed("budget_exceeded", "The task's budget is spent."),
      step.taskUpdated,
    ],
    state: "error",
    status: "failed",
  },
  "reverted-after-end": {
    order:
      "run.created … run.finished task.updated tool.file.reverted tool.edit.reverted artifact.created artifact.updated",
    steps: [
      ...begun,
      ...answer(1),
      ["tool.file.reverted", { ...patch, artifact_status: "reverted", before_existed: true, by: "operator" }],
      ["tool.edit.reverted", { patch_artifact_id: patch.artifact_id, reverted_by: "operator" }],
      [
        "artifact.created",
        { artifact_id: inverse, kind: "patch", size_bytes: 40, path: "a.txt", inverse_of: patch.artifact_id },
      ],
      [
        "artifact.updated",
        { artifact_id: patch.artifact_id, field: "status", old_value: "applied", new_value: "reverted" },
      ],
    ],
    state: "done",
    status: "completed",
  },
} as const satisfies Readonly<Record<string, Lifecycle>>;
