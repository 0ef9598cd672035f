import { idPrefixes } from "../envelope/ids.ts";
import { Count, Flag, Instant, Key, oneOf, optional, PrefixedId, type Static, Text, Type } from "../schema.ts";
import { runStatuses } from "./values.ts";

const id = (kind: "run" | "task" | "session", description: string) =>
  PrefixedId(idPrefixes[kind].slice(0, -1), description);

const place = (description: string) => Type.Integer({ minimum: -1, description });

export const RunRecord = Type.Object(
  {
    run_id: id("run", "The run."),
    task_id: id("task", "The task it serves."),
    session_id: optional(id("session", "The conversation it is part of.")),
    agent: Key("The agent that runs."),
    kind: Key("What executes the run: `agent`, `agent_loop`, `shell`, …"),
    status: oneOf(runStatuses, "Where it stands."),
    title: optional(Text("The first line of what was asked.")),
    model: optional(Text("The model.")),
    workspace_path: optional(Text("Where it works.")),
    native_session_id: optional(Text("The agent's own session id.")),
    parent_run_id: optional(Text("The run whose subagent this is.")),
    prior_run_id: optional(Text("The run this one continues.")),
    renormalized_from_run_id: optional(Text("The run whose raw lines were read again to make this one.")),
    prior_cost_micros_usd: optional(Count("What all earlier runs of the chain this one continues cost together.")),
    turns: optional(Count("Turns so far.")),
    cost_micros_usd: optional(Count("Cost so far, in millionths of a dollar.")),
    error_code: optional(Text("Code of the failure.")),
    has_tape: optional(Flag("Whether the agent's raw lines were kept.")),
    worker_id: optional(Text("The process that writes it, or wrote it.")),
    created_at: Instant("When the run came into being."),
    updated_at: Instant("When it last changed."),
    ended_at: optional(Instant("When its terminal event came.")),
    first_sequence: Count("The first sequence that is still held; a pruned run begins with its gap."),
    last_sequence: place("Its last sequence; -1 before the first event."),
    last_position: place("Position of its last event among those of all runs."),
    head: Text("The hash chain after its last event."),
    chain_start: optional(Text("Of a pruned run: the hash chain where what is left of it starts.")),
    bytes: Count("Size of the events that are held, as they are read."),
    damaged: optional(Type.Literal(true, { description: "The record is not as it was written: trust the events." })),
  },
  { description: "A run as lists show it." },
);
export type RunRecord = Static<typeof RunRecord>;

export const TaskRecord = Type.Object(
  {
    task_id: id("task", "The task."),
    title: optional(Text("What it is about.")),
    created_at: Instant("When the task came into being."),
    updated_at: Instant("When one of its runs last changed."),
    run_count: Count("How many runs it has."),
    latest_run_id: id("run", "Its newest run."),
    latest_run_status: oneOf(runStatuses, "Where that run stands."),
  },
  { description: "A task as lists show it." },
);
export type TaskRecord = Static<typeof TaskRecord>;
