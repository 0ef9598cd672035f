import type { Lifecycle } from "./lifecycle.ts";
import * as step from "./steps.ts";

const { begun, proposed, answer } = step;
const SESSION_ID = "5f2c1c1e-0000-4000-8000-000000000000";
const shellCall = { tool_call_id: "step-1", tool_name: "shell", kind: "shell" };

/** Runs that work until they are done, from the beginning or from where an earlier run stopped. */
export const conversations = {
  fresh: {
    order:
      "run.created run.queued run.started user.message session.started turn.started(1) … cost.tick assistant.final_answer turn.completed(1) run.checkpoint_saved session.ended run.finished{completed} task.updated",
    steps: [...begun, ...answer(1)],
    state: "done",
    status: "completed",
  },
  blocked: {
    order:
      "run.created … assistant.tool_call_proposed tool.invoked cost.token_usage|cost.tick* run.checkpoint_saved? policy.tool_blocked turn.completed … run.finished task.updated",
    steps: [...begun, ...proposed(1), step.blockedCall(1), step.turnEnd(1), ...answer(2)],
    state: "done",
    status: "completed",
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
} as const satisfies Readonly<Record<string, Lifecycle>>;
