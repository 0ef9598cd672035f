import { Count, Flag, Instant, Key, oneOf, optional, Text, Type } from "../schema.ts";
import { dotted } from "./define.ts";

const nullableText = (description: string) => optional(Type.Union([Type.String(), Type.Null()], { description }));

const setup = {
  kind: optional(Key("What executes the run: `agent`, `agent_loop`, `shell`, `git` or `file`.")),
  model: optional(Text("The model asked for.")),
  provider: optional(Text("Who serves it.")),
  workspace_path: optional(Text("Where the run works.")),
  workspace_mode: optional(Text("`clone`, `in_place`, …")),
  prior_run_id: nullableText("The run this one continues."),
};

export const runDefinitions = [
  dotted("run.created", "core", "The run's record exists. First in every recorded run.", {
    ...setup,
    agent: optional(Key("The agent that runs; every AgentEvent of the run carries this name.")),
    status: optional(oneOf(["queued", "awaiting_approval"], "What it waits for.")),
    renormalized_from_run_id: optional(Text("The run whose raw lines were read again to make this one.")),
  }),
  dotted("run.queued", "core", "The run waits for a worker.", {
    ...setup,
    resume: optional(Flag("True when a paused run is queued again.")),
  }),
  dotted("run.awaiting_approval", "core", "An approval must be given before the run starts.", {}),
  dotted("run.started", "core", "A worker took the run.", {
    worker_id: optional(Text("Which worker.")),
    lease_until: optional(Instant("Until when it holds the run without renewing.")),
    resume_from_run_id: optional(Text("The run it resumes.")),
    resume_from_step_id: optional(Text("The step it goes on after.")),
    resume_from_event_sequence: optional(Count("Where in that run it goes on.")),
  }),
  dotted("run.finished", "core", "The run succeeded. Terminal.", {
    final_status: optional(Type.Literal("completed", { description: "Always completed here." })),
    status: optional(Type.Literal("completed", { description: "Same as `final_status`." })),
    error: optional(Text("Empty.")),
    turns: optional(Count("Turns of this run.")),
    cost_micros_usd: optional(Count("What it cost, in millionths of a dollar.")),
    duration_ms: optional(Count("Wall-clock time.")),
  }),
  dotted("run.failed", "core", "The run failed. Terminal.", {
    code: Key("Stable code of the failure."),
    message: optional(Text("What went wrong, for people.")),
    retriable: optional(Flag("Whether trying again can help.")),
    turns: optional(Count("Turns of this run.")),
    status: optional(Type.Literal("failed", { description: "Always failed here." })),
    error: optional(Text("Same as `message`.")),
    cost_micros_usd: optional(Count("What it cost, in millionths of a dollar.")),
    duration_ms: optional(Count("Wall-clock time.")),
  }),
  dotted("run.cancelled", "core", "The run was cancelled. Terminal.", {
    reason: Text("Why; may be empty."),
    by: optional(Text("Who asked.")),
    turns: optional(Count("Turns of this run.")),
    cost_micros_usd: optional(Count("What it cost, in millionths of a dollar.")),
    duration_ms: optional(Count("Wall-clock time.")),
  }),
  dotted("run.resumed_from_event", "core", "The run goes on from an earlier one. Right after `run.created`.", {
    from_run_id: Text("The earlier run."),
    from_sequence: optional(Count("Where in it.")),
    reason: optional(Text("Why.")),
    retry_from_turn: optional(Count("The turn that is tried again.")),
    prior_cost_micros_usd: optional(Count("What all earlier runs of the chain cost together.")),
  }),
  dotted("run.checkpoint_saved", "core", "Enough is saved to go on from here later.", {
    checkpoint_id: Key("Names the saved point."),
  }),
  dotted("run.paused", "additive", "The run stands still.", {}),
  dotted("run.unpaused", "additive", "The paused run goes on.", {}),
  dotted("run.interrupted", "additive", "Someone asked the agent to stop. The cause; the terminal event follows.", {}),
  dotted("run.aborted", "additive", "Someone ended the run. The cause; the terminal event follows.", {}),
  dotted("run.timed_out", "additive", "The run took too long. The cause; the terminal event follows.", {
    kind: oneOf(["run", "inactivity"], "Which limit was reached."),
  }),
  dotted("run.stream_fallback", "additive", "A kind of output comes in one piece instead of streamed.", {
    capability: oneOf(["text", "tool_calls", "thinking"], "The kind of output."),
    reason: Text("Why."),
  }),
] as const;
