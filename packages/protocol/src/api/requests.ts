import { AnyInstant, Flag, Key, oneOf, optional, type Static, Text, Type } from "../schema.ts";
import { beginnings, DEFAULT_LIMIT, granularities, MAX_LIMIT, runStatuses } from "./values.ts";

const limit = optional(
  Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT, description: "Most items of a page." }),
);

const after = (description: string) => optional(Type.Integer({ minimum: -1, default: -1, description }));

export const RunsQuery = Type.Object({
  task_id: optional(Key("Only runs of this task.")),
  agent: optional(Key("Only runs of this agent.")),
  status: optional(oneOf(runStatuses, "Only runs that stand so.")),
  native_session_id: optional(Key("Only runs of this session of the agent's own.")),
  renormalized: optional(Flag("Also runs that were made by reading another run's raw lines again.")),
  before: optional(Key("Only runs created before this one.")),
  limit,
});
export type RunsQuery = Static<typeof RunsQuery>;

/** Where the path names the task. */
export const TaskRunsQuery = Type.Omit(RunsQuery, ["task_id"]);
export type TaskRunsQuery = Static<typeof TaskRunsQuery>;

export const TasksQuery = Type.Object({ before: optional(Key("Only tasks created before this one.")), limit });
export type TasksQuery = Static<typeof TasksQuery>;

const granularity = optional(
  oneOf(
    granularities,
    "`delta`: all events. `block` leaves out deltas and chunks of output; `turn` keeps runs, turns, texts, approvals, errors and gaps. What is left out leaves its sequence out.",
  ),
);

const event_type = optional(Text("Only these dotted types, with commas between them."));

export const RunEventsQuery = Type.Object({
  after_sequence: after("Only events of a greater sequence; -1 is from the start."),
  event_type,
  granularity,
  limit,
});
export type RunEventsQuery = Static<typeof RunEventsQuery>;

const from = optional(
  oneOf(beginnings, "Instead of `after_sequence`: `now` skips every event that is already committed."),
);

const since = optional(
  AnyInstant(
    "Instead of `after_sequence`: starts with the first event at or after this time (RFC 3339). Events come in the order of commits, so one that was committed later may have an earlier time.",
  ),
);

export const AllEventsQuery = Type.Object({
  after_sequence: after("Only events of a greater position; -1 is from the start."),
  from,
  since,
  event_type,
  task_id: optional(Key("Only events of this task's runs.")),
  agent: optional(Key("Only events of this agent's runs.")),
  granularity,
  limit,
});
export type AllEventsQuery = Static<typeof AllEventsQuery>;

/** A stream has no pages. */
export const AllStreamQuery = Type.Omit(AllEventsQuery, ["limit"]);
export type AllStreamQuery = Static<typeof AllStreamQuery>;

export const SnapshotsQuery = Type.Object({
  after_sequence: after("The sequence of the snapshot seen last; what shows the same is not sent."),
});
export type SnapshotsQuery = Static<typeof SnapshotsQuery>;

/** What a caller adds to a run. */
export const NewEvent = Type.Object(
  {
    type: optional(
      Type.String({
        pattern: "^[a-z][a-z0-9_]*(\\.[a-z0-9_]+)+$",
        maxLength: 128,
        default: "external.event",
        description: "A dotted type of the caller's own.",
      }),
    ),
    data: optional(
      Type.Record(Type.String(), Type.Unknown(), { description: "Anything; goes into the event's `data`." }),
    ),
    step_id: optional(Text("The step it is about.")),
    status: optional(Text("A word on how things stand.")),
    note: optional(Text("A sentence for people.")),
  },
  { description: "What happened outside, for the run's timeline." },
);
export type NewEvent = Static<typeof NewEvent>;
