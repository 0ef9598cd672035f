import { Envelope } from "../envelope/envelope.ts";
import { AnyInstant, Flag, oneOf, optional, type Static, Text, Type } from "../schema.ts";
import { ErrorAnswer } from "./answers.ts";
import { ResumeFrame } from "./stream.ts";
import { beginnings, granularities } from "./values.ts";

const id = Type.String({
  minLength: 1,
  maxLength: 64,
  description: "Chosen by the client; repeated in every answer to this message.",
});

const name = (description: string) => optional(Type.String({ maxLength: 128, description }));

/** A client sends this over a WebSocket to follow one run or all runs. */
export const SubscribeMessage = Type.Object({
  type: Type.Literal("subscribe"),
  id,
  run_id: name("The run to follow."),
  all: optional(Flag("Follow all runs.")),
  after_sequence: optional(
    Type.Integer({
      minimum: -1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "Only events after this sequence, or after this position when all runs are followed.",
    }),
  ),
  from: optional(
    oneOf(beginnings, "With `all`, instead of `after_sequence`: `now` skips every event that is already committed."),
  ),
  since: optional(
    AnyInstant(
      "With `all`, instead of `after_sequence`: starts with the first event at or after this time (RFC 3339).",
    ),
  ),
  event_type: optional(
    Text("Only these dotted types, separated by commas. `tool.*` stands for all types that begin with `tool.`."),
  ),
  granularity: optional(oneOf(granularities, "How detailed the events are.")),
  task_id: name("With `all`: only events of this task's runs."),
  agent: name("With `all`: only events of this agent's runs."),
  caught_up: optional(Flag("Also send one `caught_up` message, as soon as every event committed so far was sent.")),
});
export type SubscribeMessage = Static<typeof SubscribeMessage>;

/** A client sends this to end a subscription. */
export const UnsubscribeMessage = Type.Object({ type: Type.Literal("unsubscribe"), id });
export type UnsubscribeMessage = Static<typeof UnsubscribeMessage>;

/** A client sends this to learn whether the connection lives: browsers do not show the pings of the protocol. */
export const PingMessage = Type.Object({ type: Type.Literal("ping"), id });
export type PingMessage = Static<typeof PingMessage>;

const cursor = Type.Integer({
  minimum: -1,
  description: "The sequence, or position, up to which everything was sent.",
});

/** The server sends these. Clients ignore types that they do not know. */
export const ServerMessage = Type.Union([
  Type.Composite([Type.Object({ type: Type.Literal("resume"), id }), ResumeFrame]),
  Type.Object({ type: Type.Literal("events"), id, next_after_sequence: cursor, events: Type.Array(Envelope) }),
  Type.Object({ type: Type.Literal("caught_up"), id, next_after_sequence: cursor }),
  Type.Object({ type: Type.Literal("end"), id, next_after_sequence: cursor }),
  Type.Composite([Type.Object({ type: Type.Literal("error"), id: optional(id) }), ErrorAnswer]),
  Type.Object({ type: Type.Literal("pong"), id }),
]);
export type ServerMessage = Static<typeof ServerMessage>;
