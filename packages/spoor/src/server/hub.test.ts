import { once } from "node:events";
import { connect as connectTcp, createServer as createTcpServer, type Socket as NetSocket } from "node:net";
import type { Envelope } from "@spoor/protocol";
import { createEventHub, type EventHub, type EventHubOptions, type HubState } from "@spoor/protocol/client";
import { expect, it, onTestFinished, vi } from "vitest";
import { serve, startRun, TOKEN } from "../../testing/server/serve.ts";
import type { Log } from "../log/log.ts";
import { createServer, type SpoorServer } from "./server.ts";

function hubOf(url: string, options: Partial<EventHubOptions> = {}): { hub: EventHub; states: HubState[] } {
  const hub = createEventHub({ url, token: TOKEN, backOff: { baseMs: 10, capMs: 50 }, ...options });
  const states: HubState[] = [];
  hub.watch(() => states.push(hub.state));
  onTestFinished(() => hub.close());
  return { hub, states };
}

const portOf = (server: SpoorServer) => Number(new URL(server.url).port);

/** Starts a server again on the port of an earlier one. */
async function again(log: Log, port: number, token = TOKEN): Promise<SpoorServer> {
  const server = await createServer({ log, token, port, linger: 50 });
  onTestFinished(() => server.close(0));
  return server;
}

const until = (holds: () => unknown) => vi.waitUntil(holds, { timeout: 30_000, interval: 5 });

it("delivers every event once and in order while the server is killed and restarted, and counts what came in", async () => {
  const { log, server } = await serve();
  const [one, two] = [await startRun(log, 500), await startRun(log, 3)];
  const received = { one: [] as Envelope[], all: [] as Envelope[] };
  const { hub, states } = hubOf(server.url);
  hub.follow({ all: true }, { events: (events) => received.all.push(...events) });
  hub.follow({ runId: one.run_id }, { events: (events) => received.one.push(...events) });
  let current = server;
  for (let round = 0; round < 4; round++) {
    await until(() => received.one.length > round * 300);
    const port = portOf(current);
    // An open connection gets a goodbye or is cut, in turns.
    await current.close(round % 2 === 0 ? 1_000 : 0);
    await one.add(300);
    await two.add(7);
    await until(() => hub.state.state === "waiting" && hub.state.failures > 0);
    current = await again(log, port);
    await until(() => hub.state.state === "live" && hub.state.caughtUp);
    expect(hub.state).toMatchObject({ caughtUp: { gap: false } });
  }
  const total = 500 + 4 * 300;
  await until(() => received.one.length >= total && received.all.length >= total + 3 + 28);
  expect(received.one.map(({ sequence }) => sequence)).toEqual(Array.from({ length: total }, (_, at) => at));
  expect(received.all.filter(({ run_id }) => run_id === one.run_id)).toEqual(received.one);
  expect(received.all.filter(({ run_id }) => run_id === two.run_id)).toHaveLength(3 + 28);
  const counted = states.flatMap((state) => (state.state === "live" && state.caughtUp ? [state.caughtUp.events] : []));
  expect(counted).toEqual([307, 307, 307, 307]);
});

it("says when a subscription has caught up, and when its run is over", async () => {
  const { log, server } = await serve();
  const run = await startRun(log, 2_000);
  await run.finish();
  const { hub } = hubOf(server.url);
  const steps: string[] = [];
  const reader = (name: string) => ({
    events: ({ length }: readonly Envelope[]) =>
      length > 0 && steps.at(-1) !== `${name} events` && steps.push(`${name} events`),
    resumed: (status: string) => steps.push(`${name} ${status}`),
    caughtUp: () => steps.push(`${name} caught up`),
    ended: () => steps.push(`${name} over`),
  });
  hub.follow({ runId: run.run_id }, reader("delta"));
  await until(() => steps.includes("delta over"));
  const blocks = hub.follow({ runId: run.run_id, granularity: "block" }, reader("block"));
  await until(() => steps.includes("block over"));
  expect(steps).toEqual(
    ["delta", "block"].flatMap((name) => [`${name} ok`, `${name} events`, `${name} caught up`, `${name} over`]),
  );
  expect(blocks.cursor).toBe(2_000);
});

it("a run that does not exist fails its own subscription and no other", async () => {
  const { log, server } = await serve();
  const run = await startRun(log, 3);
  const { hub } = hubOf(server.url);
  const failed: string[] = [];
  let events = 0;
  hub.follow({ runId: "run_nobody" }, { events() {}, failed: ({ code }) => failed.push(code) });
  hub.follow({ runId: run.run_id }, { events: ({ length }) => (events += length) });
  await until(() => failed.length > 0 && events === 3);
  expect(failed).toEqual(["run_not_found"]);
});

it("stops when the server wants another login, and goes on after it", async () => {
  const { log, server } = await serve();
  const run = await startRun(log, 3);
  let token = TOKEN;
  const { hub } = hubOf(server.url, { token: () => token });
  let events = 0;
  hub.follow({ runId: run.run_id }, { events: ({ length }) => (events += length) });
  await until(() => events === 3);
  const port = portOf(server);
  await server.close(0);
  await again(log, port, "another-token-that-is-only-for-tests");
  await until(() => hub.state.state === "stopped");
  expect(hub.state).toEqual({ state: "stopped", why: "logged_out" });
  await run.add(4);
  token = "another-token-that-is-only-for-tests";
  hub.connectNow();
  await until(() => events === 7);
});

it("stops when the log was replaced by a shorter one", async () => {
  const { log, server } = await serve();
  const { hub } = hubOf(server.url);
  await startRun(log, 30);
  let events = 0;
  hub.follow({ all: true }, { events: ({ length }) => (events += length) });
  await until(() => events === 30);
  const port = portOf(server);
  await server.close(0);
  const other = await serve();
  await startRun(other.log, 3);
  await again(other.log, port);
  await until(() => hub.state.state === "stopped");
  expect(hub.state).toEqual({ state: "stopped", why: "log_replaced" });
});

it("notices a connection that died silently, also when it is asked to look", async () => {
  const { log, server } = await serve();
  const run = await startRun(log, 3);
  const proxy = await silentProxy(portOf(server));
  const { hub, states } = hubOf(proxy.url, { staleAfterMs: 600 });
  let events = 0;
  hub.follow({ runId: run.run_id }, { events: ({ length }) => (events += length) });
  await until(() => events === 3);
  for (const look of [() => {}, () => hub.connectNow(), () => hub.reconnect()]) {
    const before = events;
    proxy.silence();
    await run.add(5);
    look();
    await until(() => events === before + 5);
  }
  expect(states.flatMap((state) => (state.state === "waiting" ? [state.code] : []))).toEqual([
    "timeout",
    "timeout",
    "closed",
  ]);
});

/** Forwards connections until it is told to be silent: then the open ones stay open, and nothing passes any more. */
async function silentProxy(port: number): Promise<{ url: string; silence(): void }> {
  const open = new Set<NetSocket>();
  const pairs = new Set<[NetSocket, NetSocket]>();
  const proxy = createTcpServer((inner) => {
    const outer = connectTcp(port, "127.0.0.1");
    pairs.add([inner, outer]);
    for (const socket of [inner, outer]) {
      open.add(socket);
      socket.on("error", () => {});
    }
    // The server only answers to its own name.
    inner.on("data", (bytes) =>
      outer.write(bytes.toString("latin1").replace(/^Host: .*$/im, `Host: 127.0.0.1:${port}`), "latin1"),
    );
    outer.on("data", (bytes) => inner.write(bytes));
    inner.on("close", () => outer.destroy());
    outer.on("close", () => inner.destroy());
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    proxy.close();
  });
  const address = proxy.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
    silence() {
      for (const [inner, outer] of pairs) {
        inner.removeAllListeners("data").pause();
        outer.removeAllListeners("data").pause();
      }
      pairs.clear();
    },
  };
}
