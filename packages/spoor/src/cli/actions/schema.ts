import { agentEventCategories, envelopeCatalog, jsonSchema } from "@spoor/protocol";
import { nearest } from "../../inventory/nearest-names.ts";
import { ExitError } from "../exit-error.ts";
import type { Io } from "../io.ts";
import { printJson } from "../output/json.ts";
import { table } from "../output/table.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

export interface SchemaOptions {
  json?: true;
  shape?: "envelope" | "agent-event";
}

export function schema(type: string | undefined, options: SchemaOptions, io: Io): void {
  if (type !== undefined) printJson(io.stdout, schemaOf(type), 2);
  else if (options.json) printJson(io.stdout, wanted(options), 2);
  else io.stdout.write(listing(options));
}

function schemaOf(type: string): object {
  const schema = jsonSchema(type);
  if (schema) return schema;
  const near = nearest(type, [...wholes, ...entries.map((entry) => entry.type)]);
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "`spoor schema` lists all types.";
  throw new ExitError(2, `There is no event type "${terminalSafe(type)}". ${hint}`);
}

const wanted = ({ shape }: SchemaOptions): Entry[] =>
  entries.filter((entry) => shape === undefined || entry.shape === shape);

function listing(options: SchemaOptions): string {
  const { shape } = options;
  const rows = wanted(options).map((entry) => [entry.type, entry.standing ?? entry.category ?? "", entry.summary]);
  return table([["TYPE", shape ? headings[shape] : "STANDING OR CATEGORY", "WHEN"], ...rows]);
}

interface Entry {
  type: string;
  shape: "envelope" | "agent-event";
  /** Of a dotted type. */
  standing?: string;
  /** Of an AgentEvent. */
  category?: string;
  summary: string;
}

const entries: Entry[] = [
  ...envelopeCatalog.map(({ type, standing, summary }): Entry => ({ type, shape: "envelope", standing, summary })),
  ...Object.entries(agentEventCategories).flatMap(([category, { events }]) =>
    events.map(({ properties, description = "" }): Entry => {
      return { type: properties.type.const, shape: "agent-event", category, summary: description };
    }),
  ),
];

const wholes = ["envelope", "event", "agent-event"];

const headings = { envelope: "STANDING", "agent-event": "CATEGORY" };
