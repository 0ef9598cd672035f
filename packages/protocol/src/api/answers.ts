import { Envelope } from "../envelope/envelope.ts";
import { Count, Flag, Instant, Key, optional, type Static, Text, type TSchema, Type } from "../schema.ts";
import { RunRecord, TaskRecord } from "./records.ts";

/** What the server answers: one thing under `data`, or a page of them. */
const one = <const Name extends string, Data extends TSchema>(object: Name, data: Data) =>
  Type.Object({ object: Type.Literal(object), data });

const hasMore = Flag("Whether more follows after this page.");

const list = <Item extends TSchema>(item: Item) =>
  Type.Object({
    object: Type.Literal("list"),
    data: Type.Array(item),
    has_more: hasMore,
    next_before: optional(
      Type.Union([Type.String(), Type.Null()], { description: "To be given as `before` for what follows." }),
    ),
  });

export const RunAnswer = one("run", RunRecord);
export type RunAnswer = Static<typeof RunAnswer>;

export const TaskAnswer = one("task", TaskRecord);
export type TaskAnswer = Static<typeof TaskAnswer>;

export const LoginLinkAnswer = one(
  "login_link",
  Type.Object({
    url: Text("Logs a browser in when it is opened; works once."),
    expires_at: Instant("When it stops working."),
  }),
);
export type LoginLinkAnswer = Static<typeof LoginLinkAnswer>;

/** Where a posted event stands. */
export const Receipt = Type.Object({
  object: Type.Literal("receipt"),
  run_id: Key("The run it was added to."),
  type: Key("Its dotted type."),
  sequence: Count("Its place in the run."),
  position: Count("Its place among the events of all runs."),
  repeated: Flag("The key had been used: this is what was done then."),
});
export type Receipt = Static<typeof Receipt>;

/** Newest first. */
export const RunList = list(RunRecord);
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
      "To be given as `after_sequence` for what follows: a sequence in a run's list, a position in that of all runs. On an empty page the one that was given.",
  }),
});
export type EventList = Static<typeof EventList>;

export const HealthAnswer = Type.Object({ status: Text("`ok`, or `ready` when the log can be read.") });
export type HealthAnswer = Static<typeof HealthAnswer>;

/** Every answer of a status from 400 on. */
export const ErrorAnswer = Type.Object({
  error: Type.Object({
    code: Key("Stable; what a program decides by."),
    message: Text("What went wrong."),
    hint: optional(Text("What to do about it.")),
    request_id: optional(Text("Names the request in the server's log.")),
  }),
});
export type ErrorAnswer = Static<typeof ErrorAnswer>;
