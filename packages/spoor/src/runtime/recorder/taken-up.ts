import { type AgentEvent, createDecoder, type Envelope } from "@spoor/protocol";
import type { StoredRun } from "../../log/records.ts";
import { RunFactsFold } from "../projections/run-facts.ts";
import type { StoredLines } from "./stored-lines.ts";

/** A run that is already in the log, and that this process has claimed under an epoch. */
export interface TakenUpRun {
  run: StoredRun;
  epoch: number;
  /** Reads its stored envelopes after a sequence. */
  readLines(run_id: string, after: number): Promise<StoredLines>;
}

/** What a run's stored events say about it. */
export interface StoredPart {
  events: readonly AgentEvent[];
  /** Calls whose `tool.started` is stored. */
  startedCalls: ReadonlySet<string>;
  /** Whether the prompt is stored. */
  hasPrompt: boolean;
  /** When the run started, in epoch milliseconds. */
  startedAt: number | undefined;
  /** The fold of the events: what it counted must not be counted again. */
  facts: RunFactsFold;
}

/** Reads the stored events of a run, so that whoever takes it up continues its turns, offsets and costs. */
export async function readStoredPart({ run, readLines }: TakenUpRun): Promise<StoredPart> {
  const decoder = createDecoder({ agent: run.agent });
  const facts = new RunFactsFold({ kind: run.kind });
  const events: AgentEvent[] = [];
  const startedCalls = new Set<string>();
  let hasPrompt = false;
  let startedAt: number | undefined;
  for (let after = -1, more = true; more; ) {
    const page = await readLines(run.run_id, after);
    for (const line of page.text.split("\n")) {
      if (line === "") continue;
      const envelope = JSON.parse(line) as Envelope;
      const { type, data } = envelope;
      if (type === "tool.started") startedCalls.add(String(data.tool_call_id));
      if (type === "user.message" && data.via === "prompt") hasPrompt = true;
      if (type === "run.started") startedAt ??= Date.parse(envelope.occurred_at);
      facts.add([{ type, data, timestamp: Date.parse(envelope.occurred_at) }]);
      const event = decoder.decode(envelope);
      if (event) events.push(event);
    }
    more = page.more && page.next > after;
    after = page.next;
  }
  return { events, startedCalls, hasPrompt, startedAt, facts };
}
