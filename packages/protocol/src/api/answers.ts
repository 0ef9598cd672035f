import { Envelope } from "../envelope/envelope.ts";
import { Count, Flag, Instant, Key, optional, type Static, Text, type TSchema, Type } from "../schema.ts";
import { RunRecord, TaskRecord } from "./records.ts";

/** An answer with one object under `data`. */
const one = <const Name extends string, Data extends TSchema>(object: Name, data: Data) =>
  Type.Object({ object: Type.Literal(object), data });

const hasMore = Flag("Whether there are more items after this page.");

const list = <Item extends TSchema>(item: Item) =>
  Type.Object({
    object: Type.Literal("list"),
    data: Type.Array(item),
    has_more: hasMore,
    next_before: optional(
      Type.Union([Type.String(), Type.Null()], { description: "Pass this as `before` to get the next page." }),
    ),
  });

export const RunAnswer = one("run", RunRecord);
export type RunAnswer = Static<typeof RunAnswer>;

export const TaskAnswer = one("task", TaskRecord);
export type TaskAnswer = Static<typeof TaskAnswer>;

export const LoginLinkAnswer = one(
  "login_link",
  Type.Object({
    url: Text("Opening this address logs a browser in. It works once."),
    expires_at: Instant("When the link expires."),
  }),
);
export type LoginLinkAnswer = Static<typeof LoginLinkAnswer>;

/** Where a posted event was stored. */
export const Receipt = Type.Object({
  object: Type.Literal("receipt"),
  run_id: Key("The run the event was added to."),
  type: Key("The dotted type of the event."),
  sequence: Count("The event's sequence in the run."),
  position: Count("The event's position among the events of all runs."),
  repeated: Flag("Whether the idempotency key was used before. If so, this is the receipt of the first request."),
});
export type Receipt = Static<typeof Receipt>;

export const RunCounts = Type.Object(
  {
    total: Count("All runs that the list without filters would show."),
    idle: Count("Runs that have not started."),
    working: Count("Runs that work, also those that are stalled."),
    blocked: Count("Runs that wait for a person."),
    done: Count("Runs that are done or were cancelled."),
    error: Count("Runs that failed."),
  },
  { description: "How many runs the log has, in all and by state. Filters do not change the counts." },
);
export type RunCounts = Static<typeof RunCounts>;

/** A page of runs, newest first. */
export const RunList = Type.Object({
  ...list(RunRecord).properties,
  counts: optional(RunCounts),
  home: optional(Text("The home folder of the user who runs the server. Screens write `~` for it.")),
});
export type RunList = Static<typeof RunList>;

export const TaskList = list(TaskRecord);
export type TaskList = Static<typeof TaskList>;

export const EventList = Type.Object({
  object: Type.Literal("list"),
  data: Type.Array(Envelope),
  has_more: hasMore,
  next_after_sequence: Type.Integer({
    minimum: -1,
    description:
      "Pass this as `after_sequence` to get the next page. It is a sequence in the list of one run and a position in the list of all runs. On an empty page it is the value of the request.",
  }),
  positions: optional(
    Type.Array(Count("A position."), {
      description: "In the list of all runs: the position of each event of the page.",
    }),
  ),
});
export type EventList = Static<typeof EventList>;

export const HealthAnswer = Type.Object({ status: Text("`ok`, or `ready` when the log can be read.") });
export type HealthAnswer = Static<typeof HealthAnswer>;

/** The body of every response with a status of 400 or above. */
export const ErrorAnswer = Type.Object({
  error: Type.Object({
    code: Key("Stable code for programs."),
    message: Text("What went wrong."),
    hint: optional(Text("What to do about it.")),
    request_id: optional(Text("The id of the request in the server's log.")),
    conflict: optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "What stood in the way, such as the run that is active.",
      }),
    ),
  }),
});
export type ErrorAnswer = Static<typeof ErrorAnswer>;
