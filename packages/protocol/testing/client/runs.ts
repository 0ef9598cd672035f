import { createSpoorClient } from "../../src/client/client.ts";
import type { SpoorClientOptions } from "../../src/client/connector.ts";
import { type Clock, platformClock } from "../../src/client/web-platform.ts";
import type { Envelope } from "../../src/envelope/envelope.ts";
import { stories } from "../stories/index.ts";
import type { Story } from "../story.ts";

/** A golden run. */
export const story = (name: string): Envelope[] =>
  (stories[name] as () => Story)()
    .envelopes()
    .map((line) => JSON.parse(line));

/** A run of the given number of events with short texts, some beyond ASCII. The last event is terminal. */
export const smallRun = (count: number): Envelope[] =>
  Array.from({ length: count }, (_, sequence) => ({
    schema_version: "1" as const,
    event_id: `evt_01K9ZC0000SP00R0000000000${sequence % 10}`,
    run_id: "run_01K9ZC0000SP00R00000000000",
    sequence,
    occurred_at: "2026-11-02T09:00:00Z",
    type: sequence === count - 1 ? "run.finished" : "external.event",
    data: { note: ["plain", "größer", "日本\r\n", "🐾"][sequence % 4] },
  }));

/** A client that waits briefly between connections and does not time out on slow machines. */
export const quickClient = (url: string, options: Partial<SpoorClientOptions> = {}) =>
  createSpoorClient({ url, backOff: { baseMs: 1, capMs: 4 }, staleAfterMs: 60_000, ...options });

/** A clock that the test advances. Its sleep returns after a moment, whatever the duration. */
export function quickClock() {
  const clock: Clock & { time: number } = {
    time: 0,
    now: () => clock.time,
    sleep: (ms, signal) => platformClock.sleep(Math.min(ms, 5), signal),
    random: () => 0.5,
  };
  return clock;
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
