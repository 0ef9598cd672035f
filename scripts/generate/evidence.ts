import { CLIS } from "../../conformance/clis.ts";
import { readResults } from "../../conformance/results.ts";
import {
  type AgentEvent,
  type AgentEventCategory,
  type AgentEventTypeLiteral,
  agentEventCategories,
} from "../../packages/protocol/src/agent-events/catalog.ts";
import type { Adapter } from "../../packages/spoor/src/agents/machine.ts";
import { adapters } from "../../packages/spoor/src/agents/registry.ts";
import { chooseDialect } from "../../packages/spoor/src/assemble/parse.ts";
import type { DialectProof, SupportLevel } from "../../packages/spoor/src/inventory/dialect-proof.ts";
import { eventsOf, linesOf, recordingsOf } from "../../packages/spoor/testing/run/recorded.ts";

/** The facts about a dialect, and the event types that were observed in it. */
export interface DialectEvidence extends DialectProof {
  agent: string;
  dialect: string;
  types: ReadonlySet<AgentEventTypeLiteral>;
}

const results = readResults();
const categories = Object.keys(agentEventCategories) as AgentEventCategory[];

/** What kinds of calls the agents asked about in their recordings, by agent and dialect. */
export const askedAbout: Map<string, Set<string>> = new Map();

/** Every dialect of every agent: proven by a real run, by recordings of real runs, or by the vendor's documentation. */
export const evidence: readonly DialectEvidence[] = (await Promise.all(adapters.map(evidenceOf))).flat();

export function typesOf(category: AgentEventCategory): AgentEventTypeLiteral[] {
  return agentEventCategories[category].events.map((schema) => schema.properties.type.const as AgentEventTypeLiteral);
}

async function evidenceOf(adapter: Adapter): Promise<DialectEvidence[]> {
  const { name: agent, dialects, isDocumentedOnly } = adapter;
  const seen = new Map(
    dialects.map(({ name }) => [
      name,
      { recordings: 0, versions: new Set<string>(), types: new Set<AgentEventTypeLiteral>() },
    ]),
  );
  for (const recording of recordingsOf(agent)) {
    const dialect = chooseDialect(adapter, linesOf(recording)).name;
    const found = seen.get(dialect);
    if (!found) continue;
    const events = await eventsOf(adapter, recording);
    noteQuestions(`${agent} ${dialect}`, events);
    found.recordings += 1;
    found.versions.add(recording.split("/")[1] ?? "");
    for (const { type } of events) found.types.add(type);
  }
  // Some agents were only driven through their handshake; nothing beyond it is known.
  const ran = CLIS.some(({ name, needsLogin }) => name === agent && needsLogin) ? undefined : results[agent];
  const dialectRun = dialects.find(({ live }) => live)?.name;
  return dialects.map(({ name: dialect }) => {
    const { recordings, versions, types } = seen.get(dialect) ?? {
      recordings: 0,
      versions: new Set<string>(),
      types: new Set(),
    };
    if (ran && dialect === dialectRun) for (const type of ran.types) types.add(type as AgentEventTypeLiteral);
    const isRun = ran !== undefined && dialect === dialectRun;
    return {
      agent,
      dialect,
      by: isRun ? "run" : isDocumentedOnly || recordings === 0 ? "documents" : "recordings",
      ...(isRun
        ? { version: ran.version, date: ran.date }
        : recordings > 0 && !isDocumentedOnly && { version: [...versions].sort().join(", ") }),
      recordings,
      categories: Object.fromEntries(
        categories.map((category) => [category, levelOf(category, types)]),
      ) as DialectProof["categories"],
      types,
    };
  });
}

function noteQuestions(key: string, events: readonly AgentEvent[]): void {
  const asked = askedAbout.get(key) ?? new Set();
  askedAbout.set(key, asked);
  const kinds = new Map<string, string>();
  for (const event of events) {
    if (event.type === "mcp_tool_call_start") kinds.set(event.toolCallId, "mcp");
    if (event.type === "tool_call_ready" && event.toolKind) kinds.set(event.toolCallId, event.toolKind);
    if (event.type !== "approval_request" || event.toolCallId === undefined) continue;
    asked.add(kinds.get(event.toolCallId) ?? "other");
  }
}

/** The level of observed support, in the words of section 26.2 of the AgentEvent specification. */
function levelOf(category: AgentEventCategory, types: ReadonlySet<string>): SupportLevel {
  const found = typesOf(category).filter((type) => types.has(type));
  if (found.length === 0) return "No";
  if (found.length === typesOf(category).length) return "Full";
  if (category === "session" && found.every((type) => type === "session_start" || type === "session_end"))
    return "Minimal";
  return "Partial";
}
