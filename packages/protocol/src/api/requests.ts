import { AnyInstant, Flag, Key, oneOf, optional, type Static, Text, Type } from "../schema.ts";
import { beginnings, DEFAULT_LIMIT, granularities, MAX_LIMIT, runStates, runStatuses } from "./values.ts";

const limit = optional(
  Type.Integer({
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    description: "The maximum number of items on a page.",
  }),
);

const after = (description: string) => optional(Type.Integer({ minimum: -1, default: -1, description }));

export const RunsQuery = Type.Object({
  task_id: optional(Key("Only runs of this task.")),
  agent: optional(Key("Only runs of this agent. `*` stands for any text.")),
  status: optional(oneOf(runStatuses, "Only runs with this status.")),
  state: optional(oneOf(runStates, "Only runs in this state.")),
  model: optional(Text("Only runs of this model. `*` stands for any text.")),
  path: optional(
    Text(
      "An absolute path, or one that begins with `~/`: only runs in this directory or below it. Other text: only runs that have it in the path of their directory or of a file that they changed, in any case of letters.",
    ),
  ),
  q: optional(
    Text(
      "Words that must all occur in the run, in any case of letters: in its title, prompts, agent, model or id, or in the paths of its directory and of the files that it changed.",
    ),
  ),
  native_session_id: optional(Key("Only runs of this agent-side session.")),
  renormalized: optional(Flag("Include runs that were made by reading another run's raw lines again.")),
  counts: optional(Flag("Also count all runs of the log by their state.")),
  before: optional(Key("Only runs created before this one.")),
  limit,
});
export type RunsQuery = Static<typeof RunsQuery>;

/** The query of a route whose path contains the task. */
export const TaskRunsQuery = Type.Omit(RunsQuery, ["task_id", "counts"]);
export type TaskRunsQuery = Static<typeof TaskRunsQuery>;

export const TasksQuery = Type.Object({ before: optional(Key("Only tasks created before this one.")), limit });
export type TasksQuery = Static<typeof TasksQuery>;

const granularity = optional(
  oneOf(
    granularities,
    "`delta`: all events. `block` leaves out deltas and chunks of output; `turn` keeps runs, turns, texts, approvals, errors and gaps. Events that are left out leave gaps in the sequence numbers.",
  ),
);

const event_type = optional(
  Text("Only these dotted types, separated by commas. `tool.*` stands for all types that begin with `tool.`."),
);

export const RunEventsQuery = Type.Object({
  after_sequence: after("Only events with a greater sequence; -1 starts at the first event."),
  event_type,
  granularity,
  limit,
  as: optional(
    Text(
      "Streams the run in another language as server-sent events: `ag-ui` (AG-UI 1.0), `ai-sdk` (AI SDK 7) or `acolyte`. No other route takes it.",
    ),
  ),
});
export type RunEventsQuery = Static<typeof RunEventsQuery>;

const from = optional(
  oneOf(beginnings, "Instead of `after_sequence`: `now` skips every event that is already committed."),
);

const since = optional(
  AnyInstant(
    "Instead of `after_sequence`: starts with the first event at or after this time (RFC 3339). Events are sent in commit order, so a later event may have an earlier time.",
  ),
);

export const AllEventsQuery = Type.Object({
  after_sequence: after("Only events with a greater position; -1 starts at the first event."),
  from,
  since,
  event_type,
  task_id: optional(Key("Only events of this task's runs.")),
  agent: optional(Key("Only events of this agent's runs.")),
  granularity,
  limit,
});
export type AllEventsQuery = Static<typeof AllEventsQuery>;

/** Like `AllEventsQuery`, without `limit`: a stream has no pages. */
export const AllStreamQuery = Type.Omit(AllEventsQuery, ["limit"]);
export type AllStreamQuery = Static<typeof AllStreamQuery>;

export const SnapshotsQuery = Type.Object({
  after_sequence: after("The sequence of the last snapshot received. A snapshot that shows nothing new is not sent."),
});
export type SnapshotsQuery = Static<typeof SnapshotsQuery>;

/** An event that a caller adds to a run. */
export const NewEvent = Type.Object(
  {
    type: optional(
      Type.String({
        pattern: "^[a-z][a-z0-9_]*(\\.[a-z0-9_]+)+$",
        maxLength: 128,
        default: "external.event",
        description: "A dotted type chosen by the caller.",
      }),
    ),
    data: optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "Any JSON object. It is stored in the event's `data`.",
      }),
    ),
    step_id: optional(Text("The step the event is about.")),
    status: optional(Text("A status, in one word.")),
    note: optional(Text("A sentence for people.")),
  },
  { description: "An event from outside the agent, for the run's timeline." },
);
export type NewEvent = Static<typeof NewEvent>;
