import type { RunViewState, RunViewStatus } from "../../src/view/types.ts";
import type { Step } from "./steps.ts";
import * as step from "./steps.ts";

/** One way through the life of a run. */
export interface Lifecycle {
  /** The order of its events, for `orderProblem`. A run that takes this way through any door must match it. */
  readonly order: string;
  readonly steps: readonly Step[];
  /** What a list shows at the end. */
  readonly state: RunViewState;
  readonly status: RunViewStatus;
}

const { begun, inQueue, proposed, answer, commandStart, commandEnd } = step;
const patch = { artifact_id: "art_01K9ZC0000PATCH00000000001", path: "a.txt" };
const inverse = "art_01K9ZC0000PATCH00000000002";

const SESSION_ID = "5f2c1c1e-0000-4000-8000-000000000000";
const gate: readonly Step[] = [
  step.created({ status: "awaiting_approval" }),
  ["run.awaiting_approval", {}],
  step.asked(),
];
const shellCall = { tool_call_id: "step-1", tool_name: "shell", kind: "shell" };

/** The golden lifecycles. */
export const lifecycles = {
  fresh: {
    order:
      "run.created run.queued run.started user.message session.started turn.started(1) … cost.tick assistant.final_answer turn.completed(1) run.checkpoint_saved session.ended run.finished{completed} task.updated",
    steps: [...begun, ...answer(1)],
    state: "done",
    status: "completed",
  },
  approved: {
    order:
      "run.created run.queued run.started user.message session.started turn.started(1) … assistant.tool_call_proposed tool.invoked run.checkpoint_saved? approval.requested approval.resolved{approved} run.queued{resume} run.started tool.started … tool.completed turn.completed(1) run.checkpoint_saved turn.started(2) … run.finished task.updated",
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
  blocked: {
    order:
      "run.created … assistant.tool_call_proposed tool.invoked run.checkpoint_saved? policy.tool_blocked turn.completed … run.finished task.updated",
    steps: [...begun, ...proposed(1), step.blockedCall(1), step.turnEnd(1), ...answer(2)],
    state: "done",
    status: "completed",
  },
  "shell-task": {
    order:
      "run.created{shell} run.queued run.started tool.invoked tool.started tool.shell.command … tool.shell.exited tool.completed run.finished task.updated",
    steps: [
      ["run.created", { kind: "shell", status: "queued", spec: { kind: "shell", command: "make" } }],
      step.queued({ kind: "shell" }),
      step.started(),
      ["tool.invoked", shellCall],
      ["tool.started", shellCall],
      ["tool.shell.command", { tool_call_id: "step-1", command_string: "make", cwd: "/w", sandbox_layer: "none" }],
      ["tool.shell.output_chunk", { tool_call_id: "step-1", stream: "stdout", data: "ok\n", byte_offset: 0 }],
      [
        "tool.shell.exited",
        { tool_call_id: "step-1", exit_code: 0, stdout_bytes: 3, stderr_bytes: 0, truncated: false },
      ],
      ["tool.completed", { ...shellCall, output: "ok\n", duration_ms: 40, summary: "make: exited with status 0" }],
      ["run.finished", { final_status: "completed", status: "completed", error: "" }],
      step.taskUpdated,
    ],
    state: "done",
    status: "completed",
  },
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
  resumed: {
    order:
      "run.created run.resumed_from_event run.queued run.started user.message? session.started session.resumed turn.started(1) … run.finished task.updated",
    steps: [
      ...step.resumedFrom(),
      step.prompt("Go on."),
      step.session({ resumed: true }),
      step.resumedSession(2),
      ...answer(1, 3),
    ],
    state: "done",
    status: "completed",
  },
  forked: {
    order:
      "run.created run.resumed_from_event run.queued run.started user.message? session.started session.forked turn.started(1) … run.finished task.updated",
    steps: [
      ...step.resumedFrom(),
      step.prompt("Another way."),
      step.session({ forked_from: SESSION_ID }),
      step.forkedSession(SESSION_ID),
      ...answer(1),
    ],
    state: "done",
    status: "completed",
  },
  "retry-from-turn": {
    order:
      "run.created run.resumed_from_event{2} run.queued run.started user.message? session.started session.resumed turn.started(1) … run.finished task.updated",
    steps: [
      ...step.resumedFrom({ retry_from_turn: 2 }),
      step.session({ resumed: true }),
      step.resumedSession(1),
      ...answer(1, 2),
    ],
    state: "done",
    status: "completed",
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
      "run.created … cost.tick cost.budget_exceeded{halted} turn.completed error.reported{BUDGET_EXCEEDED} session.ended run.failed{budget_exceeded} task.updated",
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

export type LifecycleName = keyof typeof lifecycles;

/** The stored form of every lifecycle, by its fixture name. */
export const storedLifecycles: Readonly<Record<string, () => string[]>> = Object.fromEntries(
  Object.entries(lifecycles).map(([name, { steps }]) => [`lifecycle-${name}`, () => step.stored(steps)]),
);
