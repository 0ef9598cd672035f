import { Key, oneOf, optional, type Static, Text, Type } from "../schema.ts";
import { runStatuses } from "./records.ts";

export const DEFAULT_LIMIT = 200;
export const MAX_LIMIT = 500;

const limit = optional(
  Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT, description: "Most items of a page." }),
);

const after = (description: string) => optional(Type.Integer({ minimum: -1, default: -1, description }));

export const granularities = ["delta", "block", "turn"] as const;
export type Granularity = (typeof granularities)[number];

export const RunsQuery = Type.Object({
  task_id: optional(Key("Only runs of this task.")),
  agent: optional(Key("Only runs of this agent.")),
  status: optional(oneOf(runStatuses, "Only runs that stand so.")),
  before: optional(Key("Only runs created before this one.")),
  limit,
});
export type RunsQuery = Static<typeof RunsQuery>;

export const TasksQuery = Type.Object({ before: optional(Key("Only tasks created before this one.")), limit });
export type TasksQuery = Static<typeof TasksQuery>;

const granularity = optional(
  oneOf(granularities, "`delta`: all events. Coarser views leave events out, and their sequences with them."),
);

export const RunEventsQuery = Type.Object({
  after_sequence: after("Only events of a greater sequence; -1 is from the start."),
  granularity,
  limit,
});
export type RunEventsQuery = Static<typeof RunEventsQuery>;

export const AllEventsQuery = Type.Object({
  after_sequence: after("Only events of a greater position; -1 is from the start."),
  event_type: optional(Text("Dotted types, with commas between them.")),
  task_id: optional(Key("Only events of this task's runs.")),
  agent: optional(Key("Only events of this agent's runs.")),
  granularity,
  limit,
});
export type AllEventsQuery = Static<typeof AllEventsQuery>;

/** What a caller adds to a run. */
export const NewEvent = Type.Object({
  type: optional(
    Type.String({ pattern: "^[a-z][a-z0-9_]*(\\.[a-z0-9_]+)+$", default: "external.event", description: "Dotted." }),
  ),
  data: optional(Type.Record(Type.String(), Type.Unknown(), { description: "Goes into the event's `data`." })),
  step_id: optional(Key("The step it belongs to.")),
  status: optional(Text("A status of the caller's own.")),
  note: optional(Text("A line for people.")),
});
export type NewEvent = Static<typeof NewEvent>;
