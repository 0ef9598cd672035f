import { costSources } from "../agent-events/cost-sources.ts";
import { AnyInstant, Count, Instant, Key, oneOf, optional, type Static, Text, Type } from "../schema.ts";
import { stepKinds, stepStatuses, usageGroups } from "./values.ts";

const costSource = oneOf(
  [...costSources, "mixed"],
  "Where the cost comes from. `mixed`: it adds up costs from several sources.",
);
const micros = (description: string) => Type.Integer({ description: `${description} In millionths of a dollar.` });

export const UsageQuery = Type.Object({
  by: optional(Text(`How to group runs: some of ${usageGroups.join(", ")}, separated by commas. \`day\` if absent.`)),
  time_zone: optional(Text("The time zone of days, such as Europe/Berlin. UTC if absent.")),
  from: optional(AnyInstant("Only runs created at or after this time (RFC 3339).")),
  to: optional(AnyInstant("Only runs created before this time.")),
  agent: optional(Key("Only runs of this agent.")),
  model: optional(Key("Only runs with this model.")),
  task_id: optional(Key("Only runs of this task.")),
  session_id: optional(Key("Only runs of this conversation.")),
});
export type UsageQuery = Static<typeof UsageQuery>;

const usageFields = {
  runs: Count("Runs in this group. Each run counts once, on the day it was created."),
  runs_without_cost: Count("How many of them have no known cost. Runs that call no model cost nothing."),
  runs_without_tokens: Count("How many of them have no known tokens, though they call a model."),
  runs_failed: Count("How many of them failed."),
  runs_cancelled: Count("How many of them were cancelled."),
  turns: Count("Model calls."),
  input_tokens: Count("Input tokens, cache reads and writes included."),
  cached_input_tokens: Count("How many of them were read from a cache, as far as agents tell."),
  output_tokens: Count("Output tokens."),
  thinking_tokens: Count("How many of them were thinking, as far as agents tell."),
  cost_micros_usd: Count("The sum of their costs, in millionths of a dollar."),
  cost_source: optional(costSource),
  cost_by_source: Type.Object(
    {
      billed: optional(Count("What was billed.")),
      agent_reported: optional(Count("What agents reported.")),
      estimated: optional(Count("What was estimated from tokens by list price.")),
    },
    { description: "The same sum, divided by the source of the costs." },
  ),
};

export const UsageRow = Type.Object(
  {
    day: optional(Text("The day in the time zone that was asked for, such as 2026-11-16.")),
    agent: optional(Text("The agent.")),
    model: optional(Text("The model; empty if it is unknown.")),
    source: optional(
      Text(
        "Where the cost comes from: `billed`, `agent_reported`, `estimated`, `unknown`, or `none` for runs that call no model.",
      ),
    ),
    task_id: optional(Text("The task.")),
    session_id: optional(Text("The conversation; empty if a run has none.")),
    ...usageFields,
  },
  { description: "What a group of runs has used." },
);
export type UsageRow = Static<typeof UsageRow>;

/** What runs have used, by group. */
export const UsageAnswer = Type.Object({
  object: Type.Literal("usage"),
  by: Type.Array(oneOf(usageGroups, "A field by which runs are grouped.")),
  time_zone: optional(Text("The time zone of the days.")),
  data: Type.Array(UsageRow),
  total: Type.Object(usageFields, { description: "All groups together." }),
});
export type UsageAnswer = Static<typeof UsageAnswer>;

const cost = (description: string) =>
  Type.Object({ cost_micros_usd: micros(description), cost_source: optional(costSource) }, { description });

/** What a run has cost, by turn, and what everything it belongs to has cost. */
export const RunCostAnswer = Type.Object({
  object: Type.Literal("run_cost"),
  data: Type.Object({
    run_id: Key("The run."),
    turns: Type.Array(
      Type.Object({
        turn_index: Count("The turn, from 1; 0 before the first."),
        model: optional(Text("The model called.")),
        cost_micros_usd: micros("The cost of the turn. Negative if it corrects an estimate of an earlier turn."),
        cost_source: optional(costSource),
      }),
      { description: "The turns whose cost is known." },
    ),
    run: optional(cost("The cost of the run.")),
    task: Type.Object(
      {
        task_id: Key("The task."),
        cost_micros_usd: micros("All its runs, and what its first run continues."),
        cost_source: optional(costSource),
        runs: Count("How many runs the task has."),
        budget_micros_usd: optional(Count("Its budget, if it has one.")),
      },
      { description: "The cost of the task." },
    ),
    session: optional(
      Type.Object(
        {
          session_id: Key("The conversation."),
          cost_micros_usd: micros("All its runs."),
          cost_source: optional(costSource),
          runs: Count("How many runs it has."),
        },
        { description: "The cost of the conversation." },
      ),
    ),
  }),
});
export type RunCostAnswer = Static<typeof RunCostAnswer>;
export type RunCostRecord = RunCostAnswer["data"];

export const StepRecord = Type.Object(
  {
    step_id: Key("`turn-3` for a model call, otherwise the id of the tool call."),
    kind: oneOf(stepKinds, "What the step is."),
    status: oneOf(stepStatuses, "How the step ended, or what it does."),
    name: Text("The model or the tool; empty if it is unknown."),
    tool_kind: optional(Text("For a tool call: what the tool does.")),
    turn_index: optional(Count("The turn, from 1.")),
    started_at: optional(Instant("When the step began.")),
    ended_at: optional(Instant("When it ended.")),
    duration_ms: optional(Count("How long it took.")),
    summary: optional(Text("One line for people.")),
    error: optional(Text("What went wrong.")),
    cost_micros_usd: optional(micros("For a model call: its cost.")),
    cost_source: optional(costSource),
    first_sequence: Count("The sequence of its first event."),
    last_sequence: Count("The sequence of its last event."),
  },
  { description: "A model call or a tool call of a run." },
);
export type StepRecord = Static<typeof StepRecord>;

export const StepList = Type.Object({
  object: Type.Literal("list"),
  data: Type.Array(StepRecord),
  has_more: Type.Literal(false, { description: "The list is complete." }),
});
export type StepList = Static<typeof StepList>;
