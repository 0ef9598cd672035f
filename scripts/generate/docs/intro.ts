import { readFileSync } from "node:fs";
import {
  type AgentEvent,
  agentEventCategories,
  agentEventTypes,
} from "../../../packages/protocol/src/agent-events/catalog.ts";
import { envelopeCatalog } from "../../../packages/protocol/src/envelope/catalog.ts";
import { type Envelope, SCHEMA_VERSION } from "../../../packages/protocol/src/envelope/envelope.ts";
import { prefixed } from "../../../packages/protocol/src/envelope/ids.ts";
import { createEncoder, instant } from "../../../packages/protocol/src/mapping/index.ts";

/** The introduction of the page, from intro.md with its numbers and example filled in. */
export function introSection(): string {
  const text = readFileSync(new URL("./intro.md", import.meta.url), "utf8").trimEnd();
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`intro.md contains {{${name}}}, but intro.ts has no value of that name.`);
    return value();
  });
}

const values: Record<string, () => string> = {
  agentEventCount: () => String(agentEventTypes.length),
  categoryCount: () => String(Object.keys(agentEventCategories).length),
  typeCount: () => String(envelopeCatalog.length),
  event: () => JSON.stringify(example, null, 2),
  envelope: () => JSON.stringify(stored(example), null, 2),
};

const example: AgentEvent = {
  type: "turn_start",
  runId: "01JXMZHQ5G7V9C3T2B8N4R6W1D",
  agent: "claude",
  timestamp: 1777803825123,
  turnIndex: 0,
  model: "claude-sonnet-4-5",
};

function stored(event: AgentEvent): Envelope {
  const [draft] = createEncoder().encode(event);
  if (!draft) throw new Error(`The encoder made no envelope for the example ${event.type}.`);
  return {
    schema_version: SCHEMA_VERSION,
    event_id: "evt_01JXMZHQ5G7V9C3T2B8N4R6W1E",
    run_id: prefixed("run", event.runId),
    sequence: 3,
    occurred_at: instant(draft.timestamp),
    type: draft.type,
    data: draft.data,
  };
}
