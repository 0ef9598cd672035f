import { Count, Flag, Instant, Key, oneOf, optional, type Static, Text, Type } from "../schema.ts";

export const WebhookRecord = Type.Object(
  {
    webhook_id: Key("The id of the receiver. It stays the same as long as its address does."),
    url: Text("Where events are sent, without credentials and query."),
    state: oneOf(
      ["delivering", "out_of_reach", "disabled"],
      "`out_of_reach`: nobody takes events there at the moment, and it is tried again. `disabled`: it answered 410 Gone.",
    ),
    types: Type.Array(Text("A type, or a group such as `approval.*`."), { description: "Which events are sent." }),
    secret_place: Text("Where its secret is found: a file, or the name of an environment variable."),
    position: Type.Integer({ description: "Up to this position the log was looked at; -1 if it was empty." }),
    events_behind: Count("How many events of the log, of any type, were not looked at yet."),
    runs_behind: Count("How many runs have events that it should have already."),
    delivered: Count("How many events it has taken."),
    failed_attempts: Count("How many attempts failed."),
    given_up: Count("How many events it refused for so long that they will not be sent any more."),
    last_delivered_at: optional(Instant("When it took an event last.")),
    last_failure: optional(
      Type.Object({ at: Instant("When an attempt failed last."), detail: Text("What happened.") }),
    ),
    next_attempt_at: optional(Instant("When it is tried again, if it is out of reach.")),
    disabled_at: optional(Instant("When it answered 410 Gone.")),
    waiting_runs: Type.Array(
      Type.Object({
        run_id: Key("The run."),
        sequence: Count("The event that it did not take."),
        since: Instant("When it refused this event first."),
        attempts: Count("How often the event was tried."),
        detail: Text("What happened last."),
        next_attempt_at: optional(Instant("When the event is tried again.")),
      }),
      { description: "Runs whose next event it does not take. At most 20." },
    ),
    recently_given_up: Type.Array(
      Type.Object({
        run_id: Key("The run."),
        sequence: Count("The event."),
        at: Instant("When the event was given up."),
        detail: Text("Why."),
      }),
      { description: "The last events that were given up. At most 20." },
    ),
  },
  { description: "A receiver of webhooks, and how far it is." },
);
export type WebhookRecord = Static<typeof WebhookRecord>;

export const WebhookList = Type.Object({
  object: Type.Literal("list"),
  data: Type.Array(WebhookRecord),
  has_more: Type.Literal(false, { description: "The list is complete." }),
});
export type WebhookList = Static<typeof WebhookList>;

export const WebhookAnswer = Type.Object({ object: Type.Literal("webhook"), data: WebhookRecord });
export type WebhookAnswer = Static<typeof WebhookAnswer>;

export const WebhookTest = Type.Object({
  delivered: Flag("Whether the receiver took the test event."),
  detail: Text("What it answered, or what went wrong."),
  duration_ms: Count("How long that took."),
});
export type WebhookTest = Static<typeof WebhookTest>;

export const WebhookTestAnswer = Type.Object({ object: Type.Literal("webhook_test"), data: WebhookTest });
export type WebhookTestAnswer = Static<typeof WebhookTestAnswer>;

export const EnableWebhookRequest = Type.Object({
  from_now: optional(Flag("Skip what was not delivered so far, and begin with what is recorded from now on.")),
});
export type EnableWebhookRequest = Static<typeof EnableWebhookRequest>;
