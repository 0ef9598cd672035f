import { AnyInstant, Flag, oneOf, optional, type Static, Text, Type } from "../schema.ts";
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
  event_type: optional(Text("Only these dotted types, separated by commas.")),
  granularity: optional(oneOf(granularities, "How detailed the events are.")),
  task_id: name("With `all`: only events of this task's runs."),
  agent: name("With `all`: only events of this agent's runs."),
});
export type SubscribeMessage = Static<typeof SubscribeMessage>;

/** A client sends this to end a subscription. */
export const UnsubscribeMessage = Type.Object({ type: Type.Literal("unsubscribe"), id });
export type UnsubscribeMessage = Static<typeof UnsubscribeMessage>;
