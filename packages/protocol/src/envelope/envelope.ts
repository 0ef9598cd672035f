import { Count, Instant, optional, PrefixedId, type Static, Type } from "../schema.ts";
import { idPrefixes } from "./ids.ts";
import { SCHEMA_VERSION } from "./version.ts";

export { SCHEMA_VERSION };

const id = (prefix: string, description: string) => PrefixedId(prefix.slice(0, -1), description);

/** The stored and served form of everything that happens in a run. */
export const Envelope = Type.Object(
  {
    schema_version: Type.Literal(SCHEMA_VERSION, { description: "Raised only by a breaking change." }),
    event_id: id(idPrefixes.event, "Unique everywhere, increasing within a run, the same on every replay."),
    run_id: id(idPrefixes.run, "The run the event belongs to."),
    task_id: optional(id(idPrefixes.task, "The task the run serves.")),
    session_id: optional(id(idPrefixes.session, "The conversation the run is part of.")),
    sequence: Count("Place in the run: from 0, without gaps. The cursor of resumable reading."),
    occurred_at: Instant("The server's clock, UTC. For people; order is `sequence`."),
    type: Type.String({
      pattern: "^[a-z][a-z0-9_]*(\\.[a-z0-9_]+)+$",
      description: "Dotted, lowercase. A reader shows types it does not know as they are.",
    }),
    data: Type.Record(Type.String(), Type.Unknown(), { description: "The payload; its shape follows from `type`." }),
  },
  { description: "One event on the wire and in the log." },
);
export type Envelope = Static<typeof Envelope>;
