import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type AgentEvent, createDecoder, createUlidSource, type Envelope, prefixed, problems } from "@spoor/protocol";
import { EventList, Receipt, RunList, RunRecord, TaskList, TaskRecord } from "@spoor/protocol/api";
import { createSpoorClient, type SpoorClient, type SubscriptionState } from "@spoor/protocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { draft, serve, startRun, stored, TOKEN } from "../../testing/server/serve.ts";
import type { Log, LogDraft } from "../log/log.ts";
import { openLogSync } from "../log/open.ts";
import { createServer, type SpoorServer } from "./server.ts";

const clientOf = (url: string, token = TOKEN): SpoorClient =>
  createSpoorClient({ url, token, backOff: { baseMs: 10, capMs: 50 } });

const envelopesOf = async (log: Log, run_id: string): Promise<Envelope[]> =>
  (await stored(log, run_id))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

async function collect<Item>(items: AsyncIterable<Item>, most = Number.POSITIVE_INFINITY): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) if (all.push(item) >= most) break;
  return all;
}

describe("reading with the client", () => {
  it("returns runs, tasks and events that match their schemas", async () => {
    const { log, server } = await serve();
    const client = clientOf(server.url);
    const one = await startRun(log, 7);
    const two = await startRun(log, 3, "codex");
    await log.append([{ run_id: one.run_id, drafts: [], facts: { native_session_id: "C:\\é 1", title: "One" } }]);
    await two.finish();

    const runs = await client.runs.list();
    expect(runs.data.map(({ run_id }) => run_id)).toEqual([two.run_id, one.run_id]);
    expect((await client.runs.list({ agent: "codex", status: "completed" })).data).toHaveLength(1);
    expect((await client.runs.list({ native_session_id: "C:\\é 1" })).data).toMatchObject([{ run_id: one.run_id }]);
    expect((await client.runs.list({ native_session_id: "C:\\é 2" })).data).toEqual([]);
    const run = await client.runs.get(one.run_id);
    expect(run).toEqual(runs.data[1]);
    expect(run).toMatchObject({
      native_session_id: "C:\\é 1",
      bytes: Buffer.byteLength(await stored(log, one.run_id)),
    });
    const tasks = await client.tasks.list({ limit: 1 });
    expect(tasks).toMatchObject({ data: [{ task_id: two.task_id }], has_more: true, next_before: two.task_id });
    const task = await client.tasks.get(one.task_id);
    expect((await client.tasks.list({ before: two.task_id })).data).toEqual([task]);
    const pages = await collect(client.events.list(one.run_id, { limit: 3 }));
    expect(pages.map(({ data }) => data.length)).toEqual([3, 3, 1]);
    expect(pages.flatMap(({ data }) => data)).toEqual(await envelopesOf(log, one.run_id));
    const all = await collect(client.events.list({ all: true, event_type: ["run.created", "run.finished"] }));
    expect(all.flatMap(({ data }) => data.map(({ run_id }) => run_id))).toEqual([one.run_id, two.run_id, two.run_id]);

    for (const [schema, value] of [
      [RunList, runs],
      [RunRecord, run],
      [TaskList, tasks],
      [TaskRecord, task],
      [EventList, pages[0]],
    ] as const) {
      expect(problems(schema, value)).toEqual([]);
    }
  });

  it("throws for what does not exist, and without the right token", async () => {
    const { server } = await serve();
    const client = clientOf(server.url);
    const absent = { status: 404, retryable: false, requestId: expect.stringMatching(/^req_/) };
    await expect(client.runs.get("run_nobody")).rejects.toMatchObject({ ...absent, code: "run_not_found" });
    await expect(client.tasks.get("task_nobody")).rejects.toMatchObject({ ...absent, code: "task_not_found" });
    await expect(client.post("run_nobody", {})).rejects.toMatchObject({ ...absent, code: "run_not_found" });
    await expect(collect(client.subscribe("run_nobody"))).rejects.toMatchObject({ ...absent, code: "run_not_found" });
    const unauthorised = clientOf(server.url, "a-token-that-somebody-made-up");
    const refused = { status: 401, code: "unauthorized", retryable: false, hint: expect.any(String) };
    await expect(unauthorised.runs.list()).rejects.toMatchObject(refused);
    await expect(collect(unauthorised.subscribe({ all: true }))).rejects.toMatchObject(refused);
    await expect(unauthorised.waitForEnd("run_nobody")).rejects.toMatchObject(refused);
  });
});

describe("following with the client", () => {
  it("delivers each event of one run and of all runs once and in order, through restarts of the server", async () => {
    const directory = await mkdtemp(path.join(tmpdir(), "spoor-client-"));
    let log!: Log;
    let server!: SpoorServer;
    const start = async (port = 0) => {
      log = openLogSync({ directory, durability: "process" });
      server = await createServer({ log, token: TOKEN, port, linger: 50 });
    };
    const stop = async () => {
      await server.close(0);
      await log.close();
    };
    onTestFinished(async () => {
      await stop();
      await rm(directory, { recursive: true });
    });
    await start();
    const { url } = server;
    const port = Number(new URL(url).port);
    const { run_id } = await startRun(log, 5);
    const other = await startRun(log, 2);
    const client = clientOf(url);
    const states: SubscriptionState["state"][] = [];
    const seen: Envelope[] = [];
    const seenOfAll: Envelope[] = [];
    const all = client.subscribe({ all: true });
    const subscription = client.subscribe(run_id, { onState: ({ state }) => states.push(state) });
    const followed = (async () => {
      for await (const envelope of subscription) seen.push(envelope);
    })();
    const followedAll = (async () => {
      for await (const envelope of all) seenOfAll.push(envelope);
    })();
    const ended = client.waitForEnd(run_id);
    const add = (id: string, ...drafts: LogDraft[]) => log.append([{ run_id: id, epoch: 1, drafts }]);

    for (let restart = 0; restart < 3; restart++) {
      await expect.poll(() => [seen.length, seenOfAll.length], patience).toEqual([5 + 3 * restart, 7 + 5 * restart]);
      await add(run_id, draft("acme.before", { restart }));
      await stop();
      // Another process writes while no server runs.
      const writer = openLogSync({ directory, durability: "process" });
      await writer.append([{ run_id, drafts: [draft("acme.meanwhile", { restart })] }]);
      await writer.append([{ run_id: other.run_id, drafts: [draft("acme.meanwhile"), draft("acme.meanwhile")] }]);
      await writer.close();
      await start(port);
      await add(run_id, draft("acme.after", { restart }));
    }
    await log.append([{ run_id, epoch: 1, drafts: [draft("run.finished")], facts: { status: "completed" } }]);
    await followed;
    expect(await ended).toMatchObject({ status: "completed", view: { lastSequence: 14 } });
    expect(seen).toEqual(await envelopesOf(log, run_id));
    expect(states.filter((state) => state === "live").length).toBeGreaterThan(3);
    expect(states.at(-1)).toBe("ended");

    await expect.poll(() => seenOfAll.length, patience).toBe(15 + 8);
    expect(all.cursor).toBe(log.lastPosition);
    all.close();
    await followedAll;
    const pages = await collect(client.events.list({ all: true }));
    expect(seenOfAll).toEqual(pages.flatMap(({ data }) => data));
  });

  it("starts at a cursor, for one run and for all runs", async () => {
    const { log, server } = await serve();
    const client = clientOf(server.url);
    const [one, two] = [await startRun(log, 20), await startRun(log, 10)];
    const first = client.subscribe(one.run_id);
    const head = await collect(first, 8);
    expect(first.cursor).toBe(7);
    await one.finish();
    const rest = await collect(client.subscribe(one.run_id, { after: first.cursor }));
    expect([...head, ...rest]).toEqual(await envelopesOf(log, one.run_id));
    expect(await collect(client.subscribe(one.run_id, { after: 20 }))).toEqual([]);
    await expect(collect(client.subscribe(one.run_id, { after: 99 }))).rejects.toMatchObject({ code: "cursor_ahead" });

    const some = client.subscribe({ all: true, agent: "claude" });
    const early = await collect(some, 25);
    const late = await collect(client.subscribe({ all: true }, { after: some.cursor }), 6);
    const sequences = (run_id: string) =>
      [...early, ...late].filter((envelope) => envelope.run_id === run_id).map(({ sequence }) => sequence);
    expect(sequences(one.run_id)).toEqual(Array.from({ length: 21 }, (_, sequence) => sequence));
    expect(sequences(two.run_id)).toEqual(Array.from({ length: 10 }, (_, sequence) => sequence));
  });

  it("yields AgentEvents, and continues from a saved state", async () => {
    const { log, server } = await serve();
    const client = clientOf(server.url);
    const run_id = await storyIn(log);
    const decoder = createDecoder();
    const events = (await envelopesOf(log, run_id)).map((envelope) => decoder.decode(envelope)).filter(Boolean);
    expect(await collect(client.subscribe(run_id, { as: "events" }))).toEqual(events);

    const subscription = client.subscribe(run_id, { as: "events" });
    const begun: AgentEvent[] = await collect(subscription, 10);
    const saved = JSON.parse(JSON.stringify(subscription.save()));
    const rest = await collect(client.subscribe(run_id, { as: "events", ...saved }));
    expect([...begun, ...rest]).toEqual(events);
    expect(await client.waitForEnd(run_id)).toMatchObject({ status: "completed", view: { end: expect.anything() } });
    const coarse = await collect(client.subscribe(run_id, { granularity: "turn" }));
    expect(coarse.length).toBeLessThan((await envelopesOf(log, run_id)).length);
    expect(coarse.at(-1)?.type).toBe("run.finished");
  });
});

describe("posting with the client", () => {
  it("stores an event once under one key", async () => {
    const { log, server } = await serve();
    const client = clientOf(server.url);
    const run = await startRun(log);
    const event = { type: "acme.deployed", data: { build: 7 }, note: "To production." };
    const first = await client.post(run.run_id, event, { idempotencyKey: "deploy-7" });
    expect(problems(Receipt, first)).toEqual([]);
    expect(first).toMatchObject({ run_id: run.run_id, type: "acme.deployed", sequence: 1, repeated: false });
    const again = await client.post(run.run_id, event, { idempotencyKey: "deploy-7" });
    expect(again).toEqual({ ...first, repeated: true });
    expect(await client.post(run.run_id, {})).toMatchObject({ type: "external.event", sequence: 2, repeated: false });
    await run.finish();
    const seen = await collect(client.subscribe(run.run_id, { after: 0 }));
    expect(seen.map(({ type }) => type)).toEqual(["acme.deployed", "external.event", "run.finished"]);
    expect(seen[0]?.data).toEqual({ build: 7, note: "To production." });
  });

  it("refuses types that only Spoor writes", async () => {
    const { log, server } = await serve();
    const { run_id } = await startRun(log);
    const refused = { status: 400, code: "reserved_type", retryable: false };
    await expect(clientOf(server.url).post(run_id, { type: "run.finished" })).rejects.toMatchObject(refused);
  });
});

/** Long enough for a slow machine to reconnect. */
const patience = { timeout: 30_000, interval: 10 };

/** Appends the events of a golden run to the log. */
async function storyIn(log: Log): Promise<string> {
  const file = fileURLToPath(import.meta.resolve("@spoor/protocol/fixtures/envelopes/success.jsonl"));
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const drafts = lines.map((line): LogDraft => {
    const { type, data, occurred_at } = JSON.parse(line) as Envelope;
    return { type, timestamp: Date.parse(occurred_at), json: JSON.stringify(data) };
  });
  const run_id = prefixed("run", createUlidSource()());
  const create = { agent: "claude", kind: "agent" };
  await log.append([{ run_id, create, drafts, facts: { status: "completed" } }]);
  return run_id;
}
