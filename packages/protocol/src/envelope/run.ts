import { Count, Flag, Instant, Key, oneOf, optional, Text, Type } from "../schema.ts";
import { dotted } from "./define.ts";

const nullableText = (description: string) => optional(Type.Union([Type.String(), Type.Null()], { description }));

const setup = {
  kind: optional(Key("What executes the run: `agent`, `agent_loop`, `shell`, `git` or `file`.")),
  model: optional(Text("The requested model.")),
  provider: optional(Text("The provider of the model.")),
  workspace_path: optional(Text("The working directory of the run.")),
  workspace_mode: optional(Text("`clone`, `in_place`, …")),
  prior_run_id: nullableText("The run this one continues."),
};

export const runDefinitions = [
  dotted("run.created", "core", "The run was created. This is the first event of every recorded run.", {
    ...setup,
    agent: optional(Key("The agent of the run. Every AgentEvent of the run has this name.")),
    status: optional(oneOf(["queued", "awaiting_approval"], "What the run waits for.")),
    renormalized_from_run_id: optional(Text("The run whose raw lines were read again to make this one.")),
  }),
  dotted("run.queued", "core", "The run waits for a worker.", {
    ...setup,
    resume: optional(Flag("Whether a paused run is queued again.")),
  }),
  dotted("run.awaiting_approval", "core", "The run needs an approval before it starts.", {}),
  dotted("run.started", "core", "A worker started the run.", {
    worker_id: optional(Text("The worker.")),
    lease_until: optional(Instant("When the worker's lease expires unless it is renewed.")),
    resume_from_run_id: optional(Text("The run that this run resumes.")),
    resume_from_step_id: optional(Text("The step after which it continues.")),
    resume_from_event_sequence: optional(Count("The sequence in that run after which it continues.")),
  }),
  dotted("run.finished", "core", "The run succeeded. Terminal.", {
    final_status: optional(Type.Literal("completed", { description: "Always completed here." })),
    status: optional(Type.Literal("completed", { description: "Same as `final_status`." })),
    error: optional(Text("Always empty here.")),
    turns: optional(Count("Turns of this run.")),
    cost_micros_usd: optional(Count("The cost of the run, in millionths of a dollar.")),
    duration_ms: optional(Count("Wall-clock time.")),
  }),
  dotted("run.failed", "core", "The run failed. Terminal.", {
    code: Key("Stable code of the failure."),
    message: optional(Text("What went wrong, for people.")),
    retriable: optional(Flag("Whether a retry can help.")),
    turns: optional(Count("Turns of this run.")),
    status: optional(Type.Literal("failed", { description: "Always failed here." })),
    error: optional(Text("Same as `message`.")),
    cost_micros_usd: optional(Count("The cost of the run, in millionths of a dollar.")),
    duration_ms: optional(Count("Wall-clock time.")),
  }),
  dotted("run.cancelled", "core", "The run was cancelled. Terminal.", {
    reason: Text("The reason; may be empty."),
    by: optional(Text("Who cancelled the run.")),
    turns: optional(Count("Turns of this run.")),
    cost_micros_usd: optional(Count("The cost of the run, in millionths of a dollar.")),
    duration_ms: optional(Count("Wall-clock time.")),
  }),
  dotted("run.resumed_from_event", "core", "The run continues an earlier one. Follows directly after `run.created`.", {
    from_run_id: Text("The earlier run."),
    from_sequence: optional(Count("The sequence in that run.")),
    reason: optional(Text("The reason.")),
    retry_from_turn: optional(Count("The turn that is retried.")),
    prior_cost_micros_usd: optional(Count("The cost of all earlier runs in the chain.")),
  }),
  dotted("run.checkpoint_saved", "core", "A checkpoint was saved from which the run can continue later.", {
    checkpoint_id: Key("The id of the checkpoint."),
  }),
  dotted("run.paused", "additive", "The run is paused.", {}),
  dotted("run.unpaused", "additive", "The paused run continues.", {}),
  dotted(
    "run.interrupted",
    "additive",
    "Someone asked the agent to stop. This is the cause; the terminal event follows.",
    {},
  ),
  dotted("run.aborted", "additive", "Someone ended the run. This is the cause; the terminal event follows.", {}),
  dotted("run.timed_out", "additive", "The run reached a time limit. This is the cause; the terminal event follows.", {
    kind: oneOf(["run", "inactivity"], "Which limit was reached."),
  }),
  dotted("run.stream_fallback", "additive", "A kind of output is delivered in one piece instead of streamed.", {
    capability: oneOf(["text", "tool_calls", "thinking"], "The kind of output."),
    reason: Text("The reason."),
  }),
] as const;
