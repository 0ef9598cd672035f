import { idPrefixes } from "../envelope/ids.ts";
import { Count, Flag, Instant, Key, oneOf, optional, PrefixedId, type Static, Text, Type } from "../schema.ts";
import { runExecutors, runStates, runStatuses, STALLED_AFTER_MS, taskStatuses } from "./values.ts";

const id = (kind: "run" | "task" | "session", description: string) =>
  PrefixedId(idPrefixes[kind].slice(0, -1), description);

const position = (description: string) => Type.Integer({ minimum: -1, description });

export const RunRecord = Type.Object(
  {
    run_id: id("run", "The run."),
    task_id: id("task", "The task the run belongs to."),
    session_id: optional(id("session", "The conversation the run is part of.")),
    agent: Key("The agent of the run."),
    kind: Key("What executes the run: `agent`, `agent_loop`, `shell`, …"),
    status: oneOf(runStatuses, "The status of the run."),
    state: optional(oneOf(runStates, "What the run does, in one word.")),
    now: optional(Text("What the run does now, in one line. Absent once it is over.")),
    result: optional(Text("How the run ended, in one line: its last words, or why it failed.")),
    last_activity: optional(Instant("When the run's last event was recorded.")),
    alive: optional(Flag("Whether its process lives. Absent once the run is over, and where it cannot be known.")),
    stalled: optional(
      Flag(`Whether it works and its process lives, but it was silent for ${STALLED_AFTER_MS / 1000} s.`),
    ),
    pending: optional(Count("How many approvals and questions wait for an answer.")),
    files_changed: optional(Count("How many files the run changed. Changes that were reverted later count, too.")),
    additions: optional(
      Count("How many lines it added. A file that it made counts the lines it has; of any other file all edits count."),
    ),
    deletions: optional(Count("How many lines it removed from files that it did not make, in all edits.")),
    paused: optional(Flag("Whether the run is paused.")),
    parked: optional(Flag("Whether the run waits for a person and has no process meanwhile.")),
    cancelling: optional(Flag("Whether somebody cancelled the run and it has not ended yet.")),
    attempt: optional(Count("1 for the first start; one more after each worker that was lost.")),
    executor: optional(oneOf(runExecutors, "What performs the run.")),
    title: optional(Text("The first line of the prompt.")),
    model: optional(Text("The model.")),
    workspace_path: optional(Text("The working directory.")),
    native_session_id: optional(Text("The agent's own session id.")),
    parent_run_id: optional(Text("The parent run, if this run is a subagent's.")),
    prior_run_id: optional(Text("The run this one continues.")),
    renormalized_from_run_id: optional(Text("The run whose raw lines were read again to make this one.")),
    prior_sequence: optional(Count("The last event of that run when this one was made.")),
    prior_step_id: optional(Text("The step of that run after which this one continues.")),
    prior_cost_micros_usd: optional(Count("The cost of all earlier runs in the chain that this run continues.")),
    turns: optional(Count("Turns so far.")),
    cost_micros_usd: optional(Count("Cost so far, in millionths of a dollar.")),
    cost_source: optional(Text("Where the cost comes from: `reported` by the agent or `estimated` from its tokens.")),
    input_tokens: optional(Count("Input tokens so far, cache reads and writes included.")),
    output_tokens: optional(Count("Output tokens so far.")),
    cached_input_tokens: optional(Count("Input tokens that were read from a cache so far.")),
    thinking_tokens: optional(Count("Thinking tokens so far.")),
    error_code: optional(Text("Code of the failure.")),
    has_tape: optional(Flag("Whether the agent's raw lines were stored.")),
    worker_id: optional(Text("The process that writes or wrote the run.")),
    launcher_id: optional(Text("The worker that started this process, which outlives it.")),
    created_at: Instant("When the run was created."),
    updated_at: Instant("When the run last changed."),
    ended_at: optional(Instant("When the terminal event was recorded.")),
    first_sequence: Count("The first sequence that is still stored. A pruned run begins with its gap event."),
    last_sequence: position("The last sequence; -1 before the first event."),
    last_position: position("Position of the run's last event among the events of all runs."),
    head: Text("The hash chain after the last event."),
    chain_start: optional(Text("For a pruned run: the hash chain at the start of the remaining events.")),
    bytes: Count("The uncompressed size of the stored events."),
    damaged: optional(Type.Literal(true, { description: "The record is damaged. Trust the events instead." })),
  },
  { description: "A run as shown in lists." },
);
export type RunRecord = Static<typeof RunRecord>;

export const TaskRecord = Type.Object(
  {
    task_id: id("task", "The task."),
    title: optional(Text("The title of the task.")),
    created_at: Instant("When the task was created."),
    updated_at: Instant("When one of its runs last changed."),
    run_count: Count("How many runs the task has."),
    status: oneOf(taskStatuses, "`not_started`, or the status of the newest run."),
    latest_run_id: optional(id("run", "The newest run of the task. Absent if it was not started yet.")),
    latest_run_status: optional(oneOf(runStatuses, "The status of that run.")),
    active_run_id: optional(id("run", "The run that is queued, waiting or running now.")),
    kind: optional(Key("What executes the task: `agent`, `agent_loop`, `shell`, `git` or `file`.")),
    priority: optional(Type.Integer({ description: "Tasks with a greater priority start first." })),
    spec: optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "What the task asks for. Absent if the task only groups recorded runs.",
      }),
    ),
  },
  { description: "A task as shown in lists." },
);
export type TaskRecord = Static<typeof TaskRecord>;
