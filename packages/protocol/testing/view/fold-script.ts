import type { EnvelopeData, EnvelopeType } from "../../src/envelope/catalog.ts";
import type { Envelope } from "../../src/envelope/envelope.ts";
import { viewOf } from "../../src/view/fold.ts";
import type { RunView } from "../../src/view/types.ts";
import { Story } from "../story.ts";

/** The stored run, including its end. */
export const whole = (story: Story): Envelope[] => story.envelopes().map((line) => JSON.parse(line));

/** The stored run so far, without a terminal event. */
export const soFar = (story: Story): Envelope[] => whole(story).slice(0, -1 - story.lateFacts.length);

export const seen = (story: Story): RunView => viewOf(soFar(story));

/** A run in its first turn. */
export const inTurn = (): Story => new Story("Do it.").begin().turn();

/** Numbers envelopes in order: anything the runtime or a foreign writer may store. */
export function stream(...events: (readonly [type: string, data?: unknown])[]): Envelope[] {
  return events.map(([type, data = {}], sequence) => ({
    schema_version: "1",
    event_id: `evt_01K9ZC${String(sequence).padStart(20, "0")}`,
    run_id: "run_01K9ZC0000SP00R00000000000",
    sequence,
    occurred_at: new Date(Date.UTC(2026, 10, 2, 9) + sequence * 1_000).toISOString(),
    type,
    data: data as Record<string, unknown>,
  }));
}

/** One entry of a `stream` with a payload typed by the catalog. */
export const known = <T extends EnvelopeType>(type: T, data: EnvelopeData<T>): readonly [string, unknown] => [
  type,
  data,
];

/** Later events of the same run. */
export function after(before: readonly Envelope[], ...events: Parameters<typeof stream>): Envelope[] {
  const last = before.at(-1) as Envelope;
  const more = stream(...events).map((envelope, index) => ({
    ...envelope,
    run_id: last.run_id,
    sequence: last.sequence + 1 + index,
    occurred_at: last.occurred_at,
  }));
  return [...before, ...more];
}
