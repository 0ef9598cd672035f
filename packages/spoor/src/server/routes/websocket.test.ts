import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { serve, startRun, stored } from "../../../testing/server/serve.ts";
import { connect, type ServerMessage } from "../../../testing/server/test-websocket.ts";

/** The envelopes in event messages, as they were sent. */
const lines = (received: readonly string[]): string[] =>
  received.flatMap((message) => {
    const start = message.indexOf('"events":[') + '"events":['.length;
    if (!message.startsWith('{"type":"events"')) return [];
    return message.slice(start, -2).replaceAll('},{"schema_version"', '}\n{"schema_version"').split("\n");
  });

const isEnd = ({ type }: ServerMessage) => type === "end";

describe("a subscription to a run", () => {
  it("delivers the stored bytes after the cursor, then new events, then its end", async () => {
    const { log, server } = await serve();
    const run = await startRun(log, 300);
    const client = await connect(server.url);
    client.send({ type: "subscribe", id: "one", run_id: run.run_id, after_sequence: 9 });
    expect(await client.until(({ type }) => type === "resume")).toEqual({
      type: "resume",
      id: "one",
      status: "ok",
      schema_version: "1",
      after_sequence: 9,
      run_id: run.run_id,
    });
    await client.until(({ next_after_sequence }) => next_after_sequence === 299);
    await run.add(50);
    await run.finish();
    expect(await client.until(isEnd)).toEqual({ type: "end", id: "one", next_after_sequence: 350 });
    expect(`${lines(client.received).join("\n")}\n`).toBe(
      (await stored(log, run.run_id)).split("\n").slice(10).join("\n"),
    );
    client.socket.terminate();
  });

  it("can be one of several, filtered, and cancelled", async () => {
    const { log, server } = await serve();
    const [one, two] = [await startRun(log, 3), await startRun(log, 3)];
    const client = await connect(server.url);
    client.send({ type: "subscribe", id: "all", all: true, event_type: "acme.done" });
    client.send({ type: "subscribe", id: "coarse", run_id: one.run_id, granularity: "turn" });
    client.send({ type: "subscribe", id: "gone", run_id: two.run_id });
    await client.until(({ type, id }) => type === "events" && id === "gone");
    client.send({ type: "unsubscribe", id: "gone" });
    client.send({ type: "subscribe", id: "nobody", run_id: "run_nobody" });
    await client.until(({ type, id }) => type === "error" && id === "nobody");
    const before = client.received.length;
    await two.add("acme.done", 5);
    await one.add("acme.done");
    await one.finish();
    await client.until(isEnd);
    const later = client.received.slice(before).map((message) => JSON.parse(message) as ServerMessage);
    const of = (wanted: string) => later.filter(({ id, type }) => id === wanted && type === "events");
    expect(of("gone")).toEqual([]);
    expect(of("all").flatMap(({ events }) => events?.map(({ run_id }) => run_id))).toEqual([two.run_id, one.run_id]);
    expect(of("coarse").flatMap(({ events }) => events?.map(({ type }) => type))).toEqual(["run.finished"]);
    client.socket.terminate();
  });

  it("messages are handled in the order they came, from the first one on", async () => {
    const { log, server } = await serve();
    const [one, two] = [await startRun(log), await startRun(log)];
    const client = await connect(server.url);
    for (const run_id of [one.run_id, "run_nobody"]) {
      client.send({ type: "subscribe", id: "x", run_id });
      client.send({ type: "unsubscribe", id: "x" });
    }
    client.send({ type: "subscribe", id: "x", run_id: two.run_id });
    await client.until(({ type }) => type === "events");
    const messages = client.received.map((message) => JSON.parse(message) as ServerMessage);
    expect(messages.map(({ type, run_id }) => [type, run_id])).toEqual([
      ["resume", two.run_id],
      ["events", undefined],
    ]);
    client.socket.terminate();
  });

  it("reports a gap, and ends at once for a finished run", async () => {
    const { log, server } = await serve();
    const run = await startRun(log, 5);
    await run.finish();
    const client = await connect(server.url);
    client.send({ type: "subscribe", id: "beyond", run_id: run.run_id, after_sequence: 50 });
    expect(await client.until(({ type }) => type === "resume")).toMatchObject({ status: "gap", after_sequence: 5 });
    expect(await client.until(isEnd)).toMatchObject({ id: "beyond" });
    client.socket.terminate();
  });
});

describe("an invalid message", () => {
  it.each([
    "",
    "{",
    "null",
    "[]",
    '"subscribe"',
    '{"type":"dance"}',
    '{"type":"subscribe"}',
    '{"type":"subscribe","id":""}',
    '{"type":"subscribe","id":7,"all":true}',
    '{"type":"subscribe","id":"x","run_id":["y"]}',
    '{"type":"subscribe","id":"x","all":true,"after_sequence":-2}',
    '{"type":"subscribe","id":"x","all":true,"after_sequence":1e300}',
    '{"type":"subscribe","id":"x","all":true,"granularity":"letter"}',
    '{"type":"subscribe","id":"x","all":true,"event_type":"%"}',
    '{"type":"subscribe","id":"x"}',
    '{"type":"subscribe","id":"x","run_id":"../../etc/passwd"}',
  ])("is answered with an error and affects no other subscription: %s", async (message) => {
    const { server, log } = await serve();
    const run = await startRun(log);
    const client = await connect(server.url);
    client.send(message);
    const { error } = await client.until(({ type }) => type === "error");
    expect(error).toMatchObject({ code: expect.any(String), message: expect.any(String), hint: expect.any(String) });
    client.send({ type: "subscribe", id: "x", run_id: run.run_id });
    await client.until(({ type }) => type === "events");
    client.send({ type: "subscribe", id: "x", run_id: run.run_id });
    await client.until(({ type }) => type === "error");
    client.socket.terminate();
  });

  it("is answered with the pattern as it is, and with where messages are described", async () => {
    const { server } = await serve();
    const client = await connect(server.url);
    client.send({ type: "subscribe", id: "x", all: true, since: "yesterday" });
    const { error } = await client.until(({ type }) => type === "error");
    expect(error).toMatchObject({
      message: expect.stringMatching(/invalid at \/since: expected .*\[Tt\]/),
      hint: expect.stringContaining("docs/http.md"),
    });
    client.socket.terminate();
  });

  it("closes the socket when it is too large", async () => {
    const { server } = await serve();
    const client = await connect(server.url);
    client.send("x".repeat(100_000));
    const [code] = (await once(client.socket, "close")) as [number];
    expect(code).toBe(1009);
  });

  it("is a subscription beyond the limit", async () => {
    const { server } = await serve();
    const client = await connect(server.url);
    for (let number = 0; number <= 64; number++) client.send({ type: "subscribe", id: `${number}`, all: true });
    expect(await client.until(({ type }) => type === "error")).toMatchObject({ error: { code: "too_many_streams" } });
    client.socket.terminate();
  });
});

describe("a WebSocket connection", () => {
  it("is closed when it does not answer a ping", async () => {
    const { server } = await serve({ heartbeat: 500 });
    const lively = await connect(server.url);
    const dead = await connect(server.url, undefined, { autoPong: false });
    await once(dead.socket, "close");
    expect(lively.socket.readyState).toBe(lively.socket.OPEN);
    lively.socket.terminate();
  });

  it("that does not read its answers is paused, and gets all of them when it reads", async () => {
    const { server } = await serve();
    const client = await connect(server.url);
    client.socket.pause();
    const count = 60_000;
    for (let index = 0; index < count; index++) client.send("nonsense ".repeat(60));
    await sleep(1_500);
    // Messages that the server does not read stay in the client's buffer.
    expect(client.socket.bufferedAmount).toBeGreaterThan(0);
    client.socket.resume();
    await expect.poll(() => client.received.length, { timeout: 20_000 }).toBe(count);
    client.socket.terminate();
  });

  it("is answered with the offered subprotocol that is not the token", async () => {
    const { server } = await serve();
    const client = await connect(server.url, ["spoor.v1", "bearer.a-token-that-is-only-for-tests"]);
    expect(client.socket.protocol).toBe("spoor.v1");
    client.socket.terminate();
  });
});
