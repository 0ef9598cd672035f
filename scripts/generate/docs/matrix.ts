import {
  type AgentEventCategory,
  type AgentEventTypeLiteral,
  agentEventCategories,
} from "../../../packages/protocol/src/agent-events/catalog.ts";
import { type DialectEvidence, evidence, typesOf } from "../evidence.ts";
import { code, table } from "./markdown.ts";
import { seedMatrix } from "./seed-matrix.ts";
import { unseenTypes, whyDifferent } from "./why.ts";

const categories = Object.keys(agentEventCategories) as AgentEventCategory[];
const marks = { Full: "●", Partial: "◐", Minimal: "◌", No: "–" } as const;

/** The support that was observed for every category in every dialect. */
export function matrix(): string {
  const dialects = evidence.filter(({ types }) => types.size > 0);
  return `## Categories

The table shows what was observed in each dialect, in real runs and recordings, by the levels of the AgentEvent specification: ● full (every type of the
category), ◐ partial (some), ◌ minimal (a session that only begins and ends), – no. A dialect cannot show what its agent does not print.

${table(
  ["agent", "dialect", ...categories],
  dialects.map(({ agent, dialect, categories: levels }) => [
    code(agent),
    dialect,
    ...categories.map((category) => marks[levels[category]]),
  ]),
)}`;
}

/** Where the best dialect of an agent shows a level other than the specification's. */
export function differences(): string {
  const rows = Object.keys(seedMatrix).flatMap((agent) =>
    categories.flatMap((category) => {
      const stated = seedMatrix[agent]?.[category] ?? "";
      const found = bestOf(agent, category);
      return found === stated || found === undefined
        ? []
        : [[agent, agentEventCategories[category].title, stated, found, whyDifferent(agent, category, stated, found)]];
    }),
  );
  return `## Where we differ from the specification's matrix

${table(["agent", "category", "specified", "seen", "why"], rows)}`;
}

/** The event types, of the 67, that real agents produced. */
export function producedTypes(): string {
  const all = categories.flatMap(typesOf);
  const seen = new Set<AgentEventTypeLiteral>(
    evidence.filter(({ by }) => by !== "documents").flatMap(({ types }) => [...types]),
  );
  const missing = all.filter((type) => !seen.has(type));
  return `## Types

${all.length - missing.length} of the ${all.length} types appear in real runs and recordings. These do not:

${table(
  ["type", "why not"],
  missing.map((type) => [code(type), unseenTypes[type] ?? "Not seen yet."]),
)}`;
}

const order = ["No", "Minimal", "Partial", "Full"] as const;

function bestOf(
  agent: string,
  category: AgentEventCategory,
): DialectEvidence["categories"][AgentEventCategory] | undefined {
  const levels = evidence
    .filter((found) => found.agent === agent && found.types.size > 0)
    .map((found) => found.categories[category]);
  return levels.sort((a, b) => order.indexOf(b) - order.indexOf(a))[0];
}
