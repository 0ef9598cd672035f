import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { draft, drafts, newRunId, notesOf } from "../../../testing/log/drafts.ts";
import { relayedForTest } from "../../../testing/relay/relayed.ts";
import { shortRun } from "../../../testing/runtime/recorded-run.ts";
import { envelopesOf, findingsOf } from "../../../testing/runtime/temporary-log.ts";
import type { TapeLine } from "../../log/log.ts";
import { logFile } from "../../log/sqlite/connection.ts";
import { openFile } from "../../log/sqlite/driver.ts";
import { recordRun } from "../record-run.ts";
import { Recorder } from "../recorder/recorder.ts";
import { socketFile } from "./socket-file.ts";
import { throughServer } from "./through-server.ts";

const create = { agent: "toy", kind: "agent" };

it("appends to the server's log, and gives the receipts that log gave", async () => {
  const { log, produce } = await relayedForTest();
  const producer = await produce();
  const run_id = newRunId();
  expect(await producer.append([{ run_id, create, drafts: drafts(2) }])).toEqual([
    { run_id, epoch: 1, first_sequence: 0, last_sequence: 1, last_position: expect.any(Number), repeated: false },
  ]);
  const [receipt] = await producer.append([{ run_id, epoch: 1, drafts: drafts(1), facts: { title: "Über 🜂 \ud800" } }]);
  expect(receipt).toMatchObject({ first_sequence: 2, last_sequence: 2 });
  expect(notesOf((await log.read(run_id)).pieces)).toEqual(["n0", "n1", "n0"]);
  expect(await producer.runs({ agent: "toy" })).toEqual(await log.runs({ agent: "toy" }));
  const lines: TapeLine[] = [{ at: 1, from: "stdout", text: "raw \u2028 line" }];
  await producer.tapes.append(run_id, lines);
  const read: TapeLine[] = [];
  for await (const line of log.tapes.read(run_id)) read.push(line);
  expect(read).toEqual(lines);
});

it("takes several appends at once, in the order they are given", async () => {
  const { log, produce } = await relayedForTest();
  const producer = await produce();
  const run_id = newRunId();
  await producer.append([{ run_id, create, drafts: [] }]);
  const notes = Array.from({ length: 50 }, (_, index) => `e${index}`);
  await Promise.all(notes.map((note) => producer.append([{ run_id, epoch: 1, drafts: [draft(note)] }])));
  expect(notesOf((await log.read(run_id)).pieces)).toEqual(notes);
});

it("fails with the log's own errors, and does not take them for a server that is gone", async () => {
  const relayed = await relayedForTest();
  const producer = await relayed.produce();
  const run_id = newRunId();
  await producer.append([{ run_id, create, drafts: [] }]);
  for (const batch of [
    [{ run_id, epoch: 7, drafts: drafts(1) }],
    [{ run_id, create, drafts: [] }],
    [{ run_id, drafts: [draft("x", "No Type")] }],
    [{ run_id: "run_none", drafts: [] }],
  ]) {
    const expected = await relayed.log.append(batch).catch((error) => error);
    const { name, code, message, hint } = expected;
    await expect(producer.append(batch)).rejects.toMatchObject({ name, code, message, hint });
  }
  await producer.append([{ run_id, epoch: 1, drafts: drafts(1) }]);
  expect(relayed.opened).toBe(0);
});

it("lets an event of 50 MB through", { timeout: 120_000 }, async () => {
  const relayed = await relayedForTest();
  const producer = await relayed.produce();
  const run_id = newRunId();
  const text = 'a "quoted" word\n'.repeat(50_000_000 / 16);
  await producer.append([{ run_id, create, drafts: [draft(text)] }]);
  expect(relayed.opened).toBe(0);
  const [note] = notesOf((await relayed.log.read(run_id)).pieces);
  expect(note === text).toBe(true);
});

it("writes what is too much for the server by itself, in its place", async () => {
  const relayed = await relayedForTest({ maxLineBytes: 10_000 });
  const producer = await relayed.produce();
  const run_id = newRunId();
  await producer.append([{ run_id, create, drafts: [draft("before")] }]);
  const large = "x".repeat(20_000);
  await Promise.all(
    ["one", large, "two"].map((note) => producer.append([{ run_id, epoch: 1, drafts: [draft(note)] }])),
  );
  expect(notesOf((await relayed.log.read(run_id)).pieces)).toEqual(["before", "one", large, "two"]);
  expect(relayed.opened).toBe(1);
});

it("goes on by itself when the server stops, and opens the log only then", async () => {
  const relayed = await relayedForTest();
  const producer = await relayed.produce();
  const run_id = newRunId();
  const [first] = await producer.append([{ run_id, create, drafts: drafts(1) }]);
  await relayed.service.close();
  expect(relayed.opened).toBe(0);
  const [second] = await producer.append([{ run_id, epoch: first?.epoch as number, drafts: drafts(1) }]);
  expect(second).toMatchObject({ first_sequence: 1 });
  expect((await producer.runs()).runs).toHaveLength(1);
  expect(relayed.opened).toBe(1);
});

it("is refused, not written twice, when somebody else took the run over meanwhile", async () => {
  const relayed = await relayedForTest();
  const producer = await relayed.produce();
  const run_id = newRunId();
  await producer.append([{ run_id, create, drafts: drafts(1) }]);
  await relayed.service.close();
  await relayed.log.claim(run_id);
  await expect(producer.append([{ run_id, epoch: 1, drafts: drafts(1) }])).rejects.toMatchObject({ code: "fenced" });
});

it("waits for the log while somebody else holds it, rather than give up what it sent", async () => {
  const relayed = await relayedForTest({ maxLineBytes: 1_000 });
  const producer = await relayed.produce();
  const run_id = newRunId();
  await producer.append([{ run_id, create, drafts: [] }]);
  const holder = openFile(logFile(relayed.directory));
  holder.exec("BEGIN IMMEDIATE");
  const large = "x".repeat(2_000);
  const appended = producer.append([{ run_id, epoch: 1, drafts: [draft(large)] }]);
  await sleep(500);
  holder.close();
  await appended;
  expect(notesOf((await relayed.log.read(run_id)).pieces)).toEqual([large]);
});

it("says why when the log cannot be opened either", async () => {
  const relayed = await relayedForTest();
  const openLocal = () => Promise.reject(new Error("There is no log."));
  const producer = await relayed.produce({ openLocal });
  await relayed.service.close();
  await expect(producer.runs()).rejects.toThrow("There is no log.");
});

it("records a run that keeps the contract, whether the server stays or not", async () => {
  for (const staysUntil of [Number.POSITIVE_INFINITY, 4]) {
    const relayed = await relayedForTest();
    const recorder = new Recorder({ log: await relayed.produce() });
    const events = shortRun();
    const source = async function* () {
      for (const [index, event] of events.entries()) {
        if (index === staysUntil) await relayed.service.close();
        yield event;
        await new Promise(setImmediate);
      }
    };
    const { run_ids, failure } = await recordRun(source(), recorder);
    expect(failure).toBeUndefined();
    expect(await findingsOf(relayed.log, run_ids)).toEqual([]);
    expect((await envelopesOf(relayed.log, run_ids[0] ?? "")).at(-1)?.type).toBe("run.finished");
    expect(relayed.opened).toBe(staysUntil === 4 ? 1 : 0);
  }
});

it.each([
  ["says nothing", ""],
  ["speaks another protocol", `{"id":0,"result":{"protocol":2}}\n`],
  ["does not know how to answer", `{"id":0,"error":{"code":"unreadable","message":"What?","hint":""}}\n`],
  ["says anything at all", "HTTP/1.1 400 Bad Request\r\n\r\n"],
])("does without somebody on the socket who %s", async (_, answer) => {
  const directory = mkdtempSync(join(tmpdir(), "spoor-odd-"));
  const server = createServer((socket) => {
    socket.on("error", () => {}).on("data", () => answer && socket.write(answer));
  });
  await new Promise<void>((resolve) => server.listen(socketFile(directory), resolve));
  onTestFinished(() => {
    server.close();
    rmSync(directory, { recursive: true });
  });
  expect(await throughServer({ directory, openLocal: () => Promise.reject(), helloMs: 200 })).toBeUndefined();
});

it("does without a server where there is none, and leaves nothing there", async () => {
  const directory = mkdtempSync(join(tmpdir(), "spoor-none-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const where of [directory, join(directory, "missing"), join(directory, "x".repeat(200))]) {
    expect(await throughServer({ directory: where, openLocal: () => Promise.reject() })).toBeUndefined();
  }
  expect(existsSync(join(directory, "missing"))).toBe(false);
});
