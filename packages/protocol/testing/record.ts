import type { AgentEvent } from "../src/agent-events/catalog.ts";
import type { Envelope } from "../src/envelope/envelope.ts";
import { createUlidSource, prefixed } from "../src/envelope/ids.ts";
import { createEncoder, type TextDraft } from "../src/mapping/encode.ts";
import { createOutcomeTracker, type Outcome } from "../src/mapping/outcome.ts";
import { createEnvelopeWriter } from "../src/mapping/write.ts";

/** An envelope that was not written by the agent. */
export interface Fact {
  /** Number of AgentEvents before it. */
  after: number;
  type: string;
  data: Record<string, unknown>;
  /** It replaces the primary envelope of the event before it. */
  instead?: true;
}

export interface RecordOptions {
  facts?: readonly Fact[];
  /** Added after the terminal run event. */
  late?: readonly Omit<Fact, "after">[];
  outcome?: Outcome;
}

/** Returns the JSON lines of a recorded run: its first events, the mapped events and its terminal event. Deterministic. */
export function record(
  events: readonly AgentEvent[],
  { facts = [], late = [], outcome }: RecordOptions = {},
): string[] {
  const first = events[0];
  if (!first) return [];
  const encoder = createEncoder();
  const tracker = createOutcomeTracker();
  let now = first.timestamp;
  const ulid = createUlidSource({ now: () => now, random: () => 0.5 });
  const write = createEnvelopeWriter({
    run_id: prefixed("run", first.runId),
    task_id: prefixed("task", first.runId),
    session_id: prefixed("session", first.runId),
  });
  const lines: string[] = [];
  const append = (type: string, json: string) => {
    const draft = { type, timestamp: now, json, derived: false } as TextDraft;
    lines.push(write(draft, prefixed("event", ulid()), lines.length));
  };
  const appendFacts = (count: number) => {
    for (const fact of facts) if (fact.after === count && !fact.instead) append(fact.type, JSON.stringify(fact.data));
  };

  append("run.created", JSON.stringify({ kind: "agent", agent: first.agent, status: "queued" }));
  appendFacts(0);
  events.forEach((event, index) => {
    now = event.timestamp;
    tracker.add(event);
    const instead = facts.find((fact) => fact.instead && fact.after === index + 1);
    for (const draft of encoder.encodeText(event)) {
      if (instead && !draft.derived) append(instead.type, JSON.stringify(instead.data));
      else append(draft.type, draft.json);
    }
    appendFacts(index + 1);
  });
  const { type, data } = outcome ?? tracker.outcome();
  append(type, JSON.stringify(data));
  for (const fact of late) append(fact.type, JSON.stringify(fact.data));
  return lines;
}

export const recorded = (events: readonly AgentEvent[], options?: RecordOptions): Envelope[] =>
  record(events, options).map((line) => JSON.parse(line));
