import { once } from "node:events";
import { connect as dial, type Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it, onTestFinished } from "vitest";
import { serve, startRun, stored, TOKEN } from "../../testing/server/serve.ts";
import { createSseReader, liveFrames } from "../../testing/server/sse-reader.ts";
import { connect } from "../../testing/server/test-websocket.ts";
import type { Log } from "../log/log.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** Opens a stream and reads nothing from it. */
async function stall(url: string, target: string): Promise<Socket> {
  const { port, host } = new URL(url);
  const socket = dial(Number(port), "127.0.0.1").on("error", () => {});
  await once(socket, "connect");
  socket.pause();
  socket.write(
    `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${TOKEN}\r\nAccept: text/event-stream\r\n\r\n`,
  );
  onTestFinished(() => void socket.destroy());
  return socket;
}

async function restOf(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const BATCHES = 60;
const SIZE = 500;

describe("stalled readers", () => {
  it("do not hold a buffer for each subscription, and get every event once they read", {
    timeout: 60_000,
  }, async () => {
    const { log, server } = await serve();
    const runs = await Promise.all(Array.from({ length: 64 }, () => startRun(log)));
    const clients = await Promise.all(Array.from({ length: 10 }, () => connect(server.url)));
    for (const [index, client] of clients.entries()) {
      // With equal ids they would share the bytes.
      for (const { run_id } of runs) client.send({ type: "subscribe", id: `${index} ${run_id}`, run_id });
      await client.until(({ type, id }) => type === "resume" && id === `${index} ${runs.at(-1)?.run_id}`);
      client.socket.pause();
    }
    collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    for (const run of runs) await run.add(600);
    await new Promise((resolve) => setTimeout(resolve, 200));
    collectGarbage();
    // The recent events are held once, and in the batches of 64 feeds; a batch for each subscription would need twice this.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(60_000_000);
    for (const run of runs) await run.finish();
    for (const client of clients) {
      client.socket.resume();
      const ended = new Set<string | undefined>();
      await client.until(({ type, id }) => type === "end" && ended.add(id).size === runs.length);
      client.socket.terminate();
    }
  });

  it("neither slow others down nor hold memory, and get every event once they read", { timeout: 60_000 }, async () => {
    const { log, server, get } = await serve();
    const run = await startRun(log);
    const target = `/v1/runs/${run.run_id}/events`;
    const stalled = await Promise.all(Array.from({ length: 100 }, () => stall(server.url, target)));
    const responses = await Promise.all(Array.from({ length: 5 }, () => get(target, { accept: "text/event-stream" })));
    const live = responses.map(async (response) => {
      let last = "";
      for await (const { event, data } of liveFrames(response)) if (event === "message") last = data;
      return JSON.parse(last).sequence as number;
    });
    collectGarbage();
    const before = process.memoryUsage();
    for (let batch = 0; batch < BATCHES; batch++) await run.add(SIZE);
    await run.finish();
    expect(await Promise.all(live)).toEqual(Array(5).fill(BATCHES * SIZE + 1));
    const whole = await stored(log, run.run_id);
    const after = process.memoryUsage();
    // Each reader lags by almost the whole run; a queue for each would need a hundred times this.
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(25 * whole.length);
    const woken = stalled.slice(0, 3).map(async (socket) => restOf(socket));
    for (const text of await Promise.all(woken)) {
      const body = text.slice(text.indexOf("\r\n\r\n") + 4);
      const events = createSseReader()
        .feed(body)
        .filter(({ event }) => event === "message");
      expect(events.map(({ data }) => `${data}\n`).join("") === whole).toBe(true);
    }
  });

  it("on a WebSocket get every event once they read", { timeout: 60_000 }, async () => {
    const { log, server } = await serve();
    const run = await startRun(log);
    const client = await connect(server.url);
    client.send({ type: "subscribe", id: "s", run_id: run.run_id });
    await client.until(({ type }) => type === "events");
    client.socket.pause();
    for (let batch = 0; batch < 40; batch++) await run.add(SIZE);
    await run.finish();
    client.socket.resume();
    await client.until(({ type }) => type === "end");
    const sequences = client.received.flatMap((message) =>
      ((JSON.parse(message) as { events?: { sequence: number }[] }).events ?? []).map(({ sequence }) => sequence),
    );
    expect(sequences).toEqual(Array.from({ length: 40 * SIZE + 2 }, (_, sequence) => sequence));
    client.socket.terminate();
  });
});

describe("readers that reconnect", () => {
  it("at any time see each event once and in order", async () => {
    const { log, get } = await serve();
    const run = await startRun(log);
    let writing = true;
    const writer = (async () => {
      for (let batch = 0; batch < 60; batch++) await run.add(1 + (batch % 7));
      await run.finish();
      writing = false;
    })();
    const reader = async (give: number) => {
      const seen: number[] = [];
      for (let tries = 0; tries < 500; tries++) {
        const headers = { accept: "text/event-stream", ...(seen.length > 0 && { "last-event-id": `${seen.at(-1)}` }) };
        const response = await get(`/v1/runs/${run.run_id}/events`, headers);
        if (response.status === 204) break;
        let taken = 0;
        for await (const frame of liveFrames(response)) {
          if (frame.event !== "message") continue;
          seen.push(Number(frame.id));
          taken += 1;
          if (taken === give) break;
        }
      }
      return seen;
    };
    const all = await Promise.all([1_000, 40, 17, 9].map(reader));
    await writer;
    expect(writing).toBe(false);
    const last = (await log.run(run.run_id))?.last_sequence ?? 0;
    for (const seen of all) expect(seen).toEqual(Array.from({ length: last + 1 }, (_, sequence) => sequence));
  });
});

describe("stopping", () => {
  it("ends streams with a bye frame, closes WebSockets with 1001, and leaves the log open", async () => {
    const { log } = await serve();
    const { held, arrived, release } = holdAppends(log);
    const { server, get, post } = await serve({ log: held });
    const run = await startRun(log, 3);
    const response = await get(`/v1/runs/${run.run_id}/events`, { accept: "text/event-stream" });
    const client = await connect(server.url);
    const stalled = await stall(server.url, "/v1/events/stream");
    const closed = once(client.socket, "close");
    const frames = (async () => {
      const seen: string[] = [];
      for await (const { event, data } of liveFrames(response))
        seen.push(event === "message" ? event : `${event} ${data}`);
      return seen;
    })();
    const posted = post(`/v1/runs/${run.run_id}/events`, { note: "in flight" });
    await arrived;
    const stopped = server.close(2_000);
    release();
    await stopped;
    expect((await posted).status).toBe(201);
    expect((await frames).at(-1)).toBe('bye {"reason":"shutting_down"}');
    expect((await closed)[0]).toBe(1001);
    await expect(get("/healthz")).rejects.toThrow();
    await run.add(1);
    stalled.destroy();
  });
});

/** A log that holds what is appended until it is released. */
function holdAppends(log: Log) {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const append: Log["append"] = async (...args) => {
    arrived.resolve();
    await released.promise;
    return log.append(...args);
  };
  const held = new Proxy(log, {
    get(target, name) {
      if (name === "append") return append;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { held, arrived: arrived.promise, release: released.resolve };
}
