import fc from "fast-check";
import { expect, test } from "vitest";
import { type Fate, unreliableServer } from "../../testing/client/unreliable-server.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { createEventHub, type EventHub } from "./hub.ts";
import { type Clock, platformClock } from "./web-platform.ts";

/** Short waits end at once. Long ones, which belong to watchdogs, never do. */
const quick: Clock = {
  now: Date.now,
  sleep: (ms, signal) => (ms > 1_000 ? platformClock.sleep(1e9, signal) : new Promise(setImmediate)),
  random: () => 0,
};

/** Three runs whose events are mixed in the log. */
function logOf(length: number): Envelope[] {
  const sequences = [0, 0, 0];
  return Array.from({ length }, (_, position) => {
    const run = (position * 7 + Math.floor(position / 5)) % 3;
    return {
      schema_version: "1" as const,
      event_id: `evt_${position}`,
      run_id: `run_${run}`,
      sequence: sequences[run]++ as number,
      occurred_at: "2026-11-02T09:00:00Z",
      type: "external.event",
      data: { position },
    };
  });
}

const hubOf = (openSocket: ReturnType<typeof unreliableServer>["openSocket"]): EventHub =>
  createEventHub({
    url: "http://spoor.test",
    openSocket,
    clock: quick,
    backOff: { baseMs: 1, capMs: 1 },
    fetch: async () => {
      throw new Error("down");
    },
  });

const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise(setImmediate);
};

const fate = fc.constantFrom<Fate>("deliver", "deliver", "deliver", "duplicate", "swap", "lose", "cut", "refuse");

test("over connections that break in every way, each event arrives once and in order", async () => {
  const check = async (length: number, fates: Fate[], batch: number) => {
    const log = logOf(length);
    const server = unreliableServer(log, fates, batch);
    const hub = hubOf(server.openSocket);
    const received: Record<string, Envelope[]> = { all: [], run_0: [], run_1: [] };
    const caughtUp = new Set<string>();
    const follow = (name: string, selection: Parameters<EventHub["follow"]>[0]) =>
      hub.follow(selection, {
        events: (envelopes) => received[name]?.push(...envelopes),
        caughtUp: () => caughtUp.add(name),
        failed: (error) => expect.unreachable(`${name}: ${error.message}`),
      });
    follow("all", { all: true });
    follow("run_0", { runId: "run_0" });
    follow("run_1", { runId: "run_1" });
    await until(() => caughtUp.size === 3 && received.all?.length === length);
    await until(() => ["run_0", "run_1"].every((name) => received[name]?.length === countOf(log, name)));
    hub.close();
    expect(received.all).toEqual(log);
    for (const name of ["run_0", "run_1"]) expect(received[name]).toEqual(log.filter(({ run_id }) => run_id === name));
  };
  await fc.assert(
    fc.asyncProperty(fc.nat(60), fc.array(fate, { maxLength: 40 }), fc.integer({ min: 1, max: 9 }), check),
    { numRuns: 200 },
  );
});

const countOf = (log: readonly Envelope[], name: string) => log.filter(({ run_id }) => run_id === name).length;

test("after a break the hub says how much came in, and counts no event twice", async () => {
  const log = logOf(20);
  const server = unreliableServer(log, ["deliver", "deliver", "deliver", "cut"], 4);
  const hub = hubOf(server.openSocket);
  const counts = { all: 0, run: 0 };
  hub.follow({ all: true }, { events: ({ length }) => (counts.all += length) });
  hub.follow({ runId: "run_0" }, { events: ({ length }) => (counts.run += length) });
  await until(() => hub.state.state === "live" && hub.state.caughtUp !== undefined);
  expect(server.connections).toBe(2);
  // The first connection delivered two batches of the log and nothing of the run alone.
  const rest = log.slice(8).filter(({ run_id }) => run_id !== "run_0").length + countOf(log, "run_0");
  expect(hub.state).toMatchObject({ caughtUp: { events: rest, gap: false } });
  expect(counts).toEqual({ all: 20, run: countOf(log, "run_0") });
  hub.close();
});

test("attempts that do not reach the server are counted, and `connectNow` does not wait", async () => {
  const server = unreliableServer(logOf(3), Array<Fate>(3).fill("refuse"), 4);
  const hub = createEventHub({
    url: "http://spoor.test",
    openSocket: server.openSocket,
    fetch: async () => {
      throw new Error("down");
    },
    backOff: { baseMs: 60_000, capMs: 60_000 },
  });
  const states: string[] = [];
  hub.watch(() => {
    const { state } = hub;
    states.push(state.state === "waiting" ? `${state.state} ${state.failures} ${state.code}` : state.state);
    if (state.state === "waiting") setImmediate(() => hub.connectNow());
  });
  hub.follow({ all: true }, { events() {} });
  await until(() => hub.state.state === "live");
  expect(states).toEqual(["waiting 1 network", "waiting 2 network", "waiting 3 network", "live"]);
  hub.close();
});

test("a WebSocket that is refused by a server that answers is not a server that is gone", async () => {
  const server = unreliableServer(logOf(3), ["refuse"], 4);
  const hub = createEventHub({
    url: "http://spoor.test",
    openSocket: server.openSocket,
    fetch: async () => new Response('{"object":"list","data":[]}'),
    backOff: { baseMs: 1, capMs: 1 },
  });
  const codes: unknown[] = [];
  hub.watch(() => codes.push(hub.state.state === "waiting" ? hub.state.code : hub.state.state));
  hub.follow({ all: true }, { events() {} });
  await until(() => hub.state.state === "live");
  expect(codes).toEqual(["closed", "live"]);
  hub.close();
});
