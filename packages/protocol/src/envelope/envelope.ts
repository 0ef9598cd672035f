import { Count, Instant, optional, PrefixedId, type Static, Type } from "../schema.ts";
import { idPrefixes } from "./ids.ts";
import { SCHEMA_VERSION } from "./version.ts";

export { SCHEMA_VERSION };

const id = (prefix: string, description: string) => PrefixedId(prefix.slice(0, -1), description);

/**
 * The stored and served form of every event of a run: the schema and its type.
 *
 * @example
 * ```ts
 * import { Envelope, problems } from "@spoor/protocol";
 *
 * const line = '{"schema_version":"1","type":"run.started"}';
 * for (const { path, message } of problems(Envelope, JSON.parse(line))) console.error(path, message);
 * ```
 */
export const Envelope = Type.Object(
  {
    schema_version: Type.Literal(SCHEMA_VERSION, { description: "Increased only by a breaking change." }),
    event_id: id(idPrefixes.event, "Globally unique, increasing within a run, the same on every replay."),
    run_id: id(idPrefixes.run, "The run the event belongs to."),
    task_id: optional(id(idPrefixes.task, "The task the run belongs to.")),
    session_id: optional(id(idPrefixes.session, "The conversation the run is part of.")),
    sequence: Count("Number of the event in the run: from 0, without gaps. Readers use it as the cursor to resume."),
    occurred_at: Instant("Time by the server's clock, in UTC. For people; `sequence` defines the order."),
    type: Type.String({
      pattern: "^[a-z][a-z0-9_]*(\\.[a-z0-9_]+)+$",
      description: "Dotted, lowercase. A reader shows unknown types as they are.",
    }),
    data: Type.Record(Type.String(), Type.Unknown(), { description: "The payload. `type` determines its shape." }),
  },
  { description: "One event as stored and sent." },
);
export type Envelope = Static<typeof Envelope>;
