import {
  type AgentEvent,
  createEncoder,
  createEnvelopeWriter,
  createUlidSource,
  type Envelope,
  prefixed,
} from "../packages/protocol/src/index.ts";
import { Script } from "../packages/protocol/testing/script.ts";
import { success } from "../packages/protocol/testing/stories/work.ts";

const words = ["The ", "total ", "is ", "made ", "of ", "prices, ", "“quoted” ", "and\n", "summed ", "up. "];

/** A day of work: turns with thinking, tool calls and text in the proportions of a real transcript. */
export function mixedRun(turns: number): AgentEvent[] {
  const work = success().events.filter(({ type }) => !type.startsWith("session_"));
  const script = new Script().begin();
  const [opening] = script.events;
  const events: AgentEvent[] = opening ? [opening] : [];
  let turn = -1;
  for (let n = 0; n < turns; n++) {
    for (const event of work) {
      if (event.type === "turn_start") turn += 1;
      events.push(renumbered(event, turn, n));
    }
    turn += 1;
    events.push(...answer(40, turn));
  }
  events.push(...new Script().end().events.map((event) => ({ ...event, turnCount: turn + 1 }) as AgentEvent));
  return events;
}

/**
 * One turn with one message of the given number of deltas, with `accumulated` built as an adapter builds it. The events
 * are generated one by one, as in a run, and not kept.
 */
export function* longAnswer(deltas: number): Generator<AgentEvent> {
  yield* new Script().begin().events;
  yield* answer(deltas, 0);
  yield* new Script().turn().endTurn().end().events.slice(-1);
}

/** The same stream as envelopes. */
export function* longAnswerStored(deltas: number): Generator<Envelope> {
  const encoder = createEncoder();
  let sequence = 0;
  for (const event of longAnswer(deltas)) {
    for (const { type, data } of encoder.encode(event)) {
      yield {
        schema_version: "1",
        event_id: "evt_01K9ZC0000SP00R00000000000",
        run_id: "run_01K9ZC0000SP00R00000000000",
        sequence: sequence++,
        occurred_at: "2026-11-02T09:00:00.000Z",
        type,
        data,
      };
    }
  }
}

export const printed = (events: readonly AgentEvent[]): string[] =>
  events.map((event) => JSON.stringify({ ...event, accumulated: undefined, inputAccumulated: undefined }));

/** The lines that a log would store, without the events that a recorder adds around a run. */
export function stored(events: readonly AgentEvent[]): string[] {
  const encoder = createEncoder();
  const newId = createUlidSource({ prefix: "evt_" });
  const write = createEnvelopeWriter({ run_id: prefixed("run", events[0]?.runId ?? "") });
  let sequence = 0;
  return events.flatMap((event) => encoder.encodeText(event)).map((draft) => write(draft, newId(), sequence++));
}

function* answer(deltas: number, turn: number): Generator<AgentEvent> {
  const base = { runId: "01K9ZC0000SP00R00000000000", agent: "claude", timestamp: Date.UTC(2026, 10, 2, 9) };
  yield { type: "turn_start", ...base, turnIndex: turn };
  yield { type: "message_start", ...base };
  let accumulated = "";
  for (let n = 0; n < deltas; n++) {
    const delta = words[n % words.length] as string;
    accumulated += delta;
    yield { type: "text_delta", ...base, delta, accumulated };
  }
  yield { type: "message_stop", ...base, text: accumulated };
  yield { type: "turn_end", ...base, turnIndex: turn };
}

/** Gives the calls of repeated turns unique ids. */
function renumbered(event: AgentEvent, turn: number, round: number): AgentEvent {
  const fields = event as unknown as { turnIndex?: number; toolCallId?: string };
  return {
    ...event,
    timestamp: Date.UTC(2026, 10, 2, 9),
    ...(fields.turnIndex === undefined ? {} : { turnIndex: turn }),
    ...(fields.toolCallId === undefined ? {} : { toolCallId: `${fields.toolCallId}_${round}` }),
  } as AgentEvent;
}
