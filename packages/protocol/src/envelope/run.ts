import { Count, Flag, Instant, Json, Key, oneOf, optional, Text, Type } from "../schema.ts";
import { dotted, turnIndex } from "./define.ts";

const nullableText = (description: string) => optional(Type.Union([Type.String(), Type.Null()], { description }));

const setup = {
  kind: optional(Key("What executes the run: `agent`, `agent_loop`, `shell`, `git` or `file`.")),
  model: optional(Text("The requested model.")),
  provider: optional(Text("The provider of the model.")),
  workspace_path: optional(Text("The working directory of the run.")),
  workspace_mode: optional(Text("`in_place`, `worktree` or `clone`.")),
  workspace_shared: optional(Flag("Whether other runs may work in the same directory at the same time.")),
  prior_run_id: nullableText("The run this one continues."),
};

/** Who sent the command that an event answers. */
export const commandFields = {
  by: optional(Text("Who asked for it.")),
  command_id: optional(Key("The command that this event answers: `cmd_` and a ULID.")),
};
const told = { ...commandFields, reason: optional(Text("The reason.")) };

export const executors = ["worker", "process", "cli"] as const;

export const runDefinitions = [
  dotted("run.created", "core", "The run was created. This is the first event of every recorded run.", {
    ...setup,
    agent: optional(Key("The agent of the run. Every AgentEvent of the run has this name.")),
    status: optional(oneOf(["queued", "awaiting_approval"], "What the run waits for.")),
    parent_run_id: optional(Text("The parent run, if this run is a subagent's.")),
    renormalized_from_run_id: optional(Text("The run whose raw lines were read again to make this one.")),
    title: optional(Text("What the run is about, in one line.")),
    agent_command: optional(
      Type.Array(Type.String(), {
        description:
          "The program that was named for the agent and its first arguments, if the run has no `spec`. A command that holds a secret is one text, in which the secret is replaced.",
      }),
    ),
    spec: optional(Json("The specification of the task, without secrets. The run's events alone tell what was asked.")),
  }),
  dotted("run.queued", "core", "The run waits for a worker.", {
    ...setup,
    resume: optional(Flag("True when a run that has started before is queued again.")),
    priority: optional(Type.Integer({ description: "Runs with a higher priority start first; 0 unless it was set." })),
    due_at: optional(Instant("The run starts no earlier than this.")),
  }),
  dotted("run.awaiting_approval", "core", "The run needs an approval before it starts.", {
    reason: optional(Text("Why the run needs an approval.")),
  }),
  dotted("run.started", "core", "A worker started the run.", {
    worker_id: optional(Text("The worker.")),
    lease_until: optional(Instant("When the worker's lease expires unless it is renewed.")),
    executor: optional(
      oneOf(
        executors,
        "What performs the run. `worker`: a server itself. `process`: a process of its own that a server started. `cli`: a command in a terminal.",
      ),
    ),
    launcher_id: optional(Text("The worker that started the process of the run, which outlives it.")),
    attempt: optional(Count("1 for the first start; one more after each worker that was lost.")),
    snapshots: optional(
      Key(
        "How changes of files are found: `git`, `scan` (the workspace has no git), `named` (only files that calls name) or `off`.",
      ),
    ),
    resume_from_run_id: optional(Text("The run that this run resumes.")),
    resume_from_step_id: optional(Text("The step after which it continues: the last model call, such as `turn-2`.")),
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
    command_id: commandFields.command_id,
    turns: optional(Count("Turns of this run.")),
    cost_micros_usd: optional(Count("The cost of the run, in millionths of a dollar.")),
    duration_ms: optional(Count("Wall-clock time.")),
  }),
  dotted("run.resumed_from_event", "core", "The run continues an earlier one. Follows directly after `run.created`.", {
    from_run_id: Text("The earlier run."),
    from_sequence: optional(Count("The sequence in that run.")),
    from_step_id: optional(Text("The last step of that run that is kept: its last model call, such as `turn-2`.")),
    reason: optional(Text("The reason.")),
    retry_from_turn: optional(Count("The turn that is retried.")),
    prior_cost_micros_usd: optional(Count("The cost of all earlier runs in the chain.")),
  }),
  dotted("run.checkpoint_saved", "core", "A checkpoint was saved from which the run can continue later.", {
    checkpoint_id: Key("The id of the checkpoint."),
    turn_index: optional(turnIndex),
    tree: optional(Key("The files at this point: the hash of a tree in the run's snapshots.")),
    provider_state: optional(Key("The hash of what the provider needs back unchanged to continue from here.")),
  }),
  dotted("run.paused", "additive", "The run is paused.", told),
  dotted("run.unpaused", "additive", "The paused run continues.", told),
  dotted(
    "run.interrupted",
    "additive",
    "Someone asked the agent to stop. This is the cause; the terminal event follows.",
    told,
  ),
  dotted("run.aborted", "additive", "Someone ended the run. This is the cause; the terminal event follows.", told),
  dotted("run.timed_out", "additive", "The run reached a time limit. This is the cause; the terminal event follows.", {
    kind: oneOf(["run", "inactivity"], "Which limit was reached."),
  }),
  dotted("run.stream_fallback", "additive", "A kind of output is delivered in one piece instead of streamed.", {
    capability: oneOf(["text", "tool_calls", "thinking"], "The kind of output."),
    reason: Text("The reason."),
  }),
] as const;
