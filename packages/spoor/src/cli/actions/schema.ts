import { agentEventCategories, envelopeCatalog, jsonSchema } from "@spoor/protocol";
import { ExitError } from "../exit-error.ts";
import type { Io } from "../io.ts";
import { nearest } from "../nearest.ts";
import { table } from "../table.ts";
import { visible } from "../visible.ts";

export interface SchemaOptions {
  json?: true;
  shape?: "envelope" | "agent-event";
}

export function schema(type: string | undefined, options: SchemaOptions, io: Io): void {
  io.stdout.write(type === undefined ? listing(options) : schemaText(type));
}

function schemaText(type: string): string {
  const schema = jsonSchema(type);
  if (schema) return `${JSON.stringify(schema, null, 2)}\n`;
  const near = nearest(type, [...wholes, ...entries.map((entry) => entry.type)]);
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "`spoor schema` lists the types there are.";
  throw new ExitError(2, `There is no event type "${visible(type)}". ${hint}`);
}

function listing({ json, shape }: SchemaOptions): string {
  const wanted = entries.filter((entry) => shape === undefined || entry.shape === shape);
  if (json) return `${JSON.stringify(wanted, null, 2)}\n`;
  const rows = wanted.map((entry) => [entry.type, entry.standing ?? entry.category ?? "", entry.summary]);
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
