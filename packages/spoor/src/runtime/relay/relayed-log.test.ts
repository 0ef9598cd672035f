import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { draft, drafts, newRunId, notesOf } from "../../../testing/log/drafts.ts";
import { command, queued } from "../../../testing/log/rows.ts";
import { serveLogForTest } from "../../../testing/relay/serve-log.ts";
import { shortRun } from "../../../testing/runtime/recorded-run.ts";
import { envelopesOf, findingsOf } from "../../../testing/runtime/temporary-log.ts";
import type { TapeLine } from "../../log/log.ts";
import { logFile } from "../../log/sqlite/connection.ts";
import { openFile } from "../../log/sqlite/driver.ts";
import { recordRun } from "../record-run.ts";
import { Recorder } from "../recorder/recorder.ts";
import { openRelayedLog } from "./relayed-log.ts";
import { socketFile } from "./socket-file.ts";

const create = { agent: "toy", kind: "agent" };

it("appends to the server's log and returns that log's receipts", async () => {
  const { log, produce } = await serveLogForTest();
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

it("keeps the order of appends that are sent before earlier ones are answered", async () => {
  const { log, produce } = await serveLogForTest();
  const producer = await produce();
  const run_id = newRunId();
  await producer.append([{ run_id, create, drafts: [] }]);
  const notes = Array.from({ length: 50 }, (_, index) => `e${index}`);
  await Promise.all(notes.map((note) => producer.append([{ run_id, epoch: 1, drafts: [draft(note)] }])));
  expect(notesOf((await log.read(run_id)).pieces)).toEqual(notes);
});

it("rejects with the log's own errors and keeps using the server", async () => {
  const served = await serveLogForTest();
  const producer = await served.produce();
  const run_id = newRunId();
  await producer.append([{ run_id, create, drafts: [] }]);
  for (const batch of [
    [{ run_id, epoch: 7, drafts: drafts(1) }],
    [{ run_id, create, drafts: [] }],
    [{ run_id, drafts: [draft("x", "No Type")] }],
    [{ run_id: "run_none", drafts: [] }],
  ]) {
    const expected = await served.log.append(batch).catch((error) => error);
    const { name, code, message, hint } = expected;
    await expect(producer.append(batch)).rejects.toMatchObject({ name, code, message, hint });
  }
  await producer.append([{ run_id, epoch: 1, drafts: drafts(1) }]);
  expect(served.opened).toBe(0);
});

it("relays an event of 50 MB", { timeout: 120_000 }, async () => {
  const served = await serveLogForTest();
  const producer = await served.produce();
  const run_id = newRunId();
  const text = 'a "quoted" word\n'.repeat(50_000_000 / 16);
  await producer.append([{ run_id, create, drafts: [draft(text)] }]);
  expect(served.opened).toBe(0);
  const [note] = notesOf((await served.log.read(run_id)).pieces);
  expect(note === text).toBe(true);
});

it("appends a batch that is too long for the server to the log itself, in order", async () => {
  const served = await serveLogForTest({ maxLineBytes: 10_000 });
  const producer = await served.produce();
  const run_id = newRunId();
  await producer.append([{ run_id, create, drafts: [draft("before")] }]);
  const large = "x".repeat(20_000);
  await Promise.all(
    ["one", large, "two"].map((note) => producer.append([{ run_id, epoch: 1, drafts: [draft(note)] }])),
  );
  expect(notesOf((await served.log.read(run_id)).pieces)).toEqual(["before", "one", large, "two"]);
  expect(served.opened).toBe(1);
});

it("opens the log itself when the server stops, not before, and continues there", async () => {
  const served = await serveLogForTest();
  const producer = await served.produce();
  const run_id = newRunId();
  const [first] = await producer.append([{ run_id, create, drafts: drafts(1) }]);
  await served.service.close();
  expect(served.opened).toBe(0);
  const [second] = await producer.append([{ run_id, epoch: first?.epoch as number, drafts: drafts(1) }]);
  expect(second).toMatchObject({ first_sequence: 1 });
  expect((await producer.runs()).runs).toHaveLength(1);
  expect(served.opened).toBe(1);
});

it("is fenced when another process claimed the run after the server stopped", async () => {
  const served = await serveLogForTest();
  const producer = await served.produce();
  const run_id = newRunId();
  await producer.append([{ run_id, create, drafts: drafts(1) }]);
  await served.service.close();
  await served.log.claim(run_id);
  await expect(producer.append([{ run_id, epoch: 1, drafts: drafts(1) }])).rejects.toMatchObject({ code: "fenced" });
});

it("deletes the keys of batches the server answered, so that a long run does not collect them", async () => {
  const served = await serveLogForTest();
  const producer = await served.produce();
  const run_id = newRunId();
  await producer.append([{ run_id, create, drafts: drafts(1) }]);
  for (let index = 0; index < 5; index++) {
    await producer.append([{ run_id, epoch: 1, drafts: drafts(1) }]);
    await producer.tapes.append(run_id, [{ at: 1, from: "stdout", text: "raw" }]);
  }
  const database = openFile(logFile(served.directory));
  onTestFinished(() => database.close());
  // The last append and the tape after it.
  expect(database.prepare("SELECT count(*) AS keys FROM idempotency").get()).toEqual({ keys: 2 });
});

it("waits while another process holds the log's write lock", async () => {
  const served = await serveLogForTest({ maxLineBytes: 1_000 });
  const producer = await served.produce();
  const run_id = newRunId();
  await producer.append([{ run_id, create, drafts: [] }]);
  const holder = openFile(logFile(served.directory));
  holder.exec("BEGIN IMMEDIATE");
  const large = "x".repeat(2_000);
  const appended = producer.append([{ run_id, epoch: 1, drafts: [draft(large)] }]);
  await sleep(500);
  holder.close();
  await appended;
  expect(notesOf((await served.log.read(run_id)).pieces)).toEqual([large]);
});

it("rejects with the reason when the log cannot be opened either", async () => {
  const served = await serveLogForTest();
  const openLocal = () => Promise.reject(new Error("There is no log."));
  const producer = await served.produce({ openLocal });
  await served.service.close();
  await expect(producer.runs()).rejects.toThrow("There is no log.");
});

it("records a run that keeps the contract, whether or not the server stops halfway", async () => {
  for (const staysUntil of [Number.POSITIVE_INFINITY, 4]) {
    const served = await serveLogForTest();
    const recorder = new Recorder({ log: await served.produce() });
    const events = shortRun();
    const source = async function* () {
      for (const [index, event] of events.entries()) {
        if (index === staysUntil) await served.service.close();
        yield event;
        await new Promise(setImmediate);
      }
    };
    const { run_ids, failure } = await recordRun(source(), recorder);
    expect(failure).toBeUndefined();
    expect(await findingsOf(served.log, run_ids)).toEqual([]);
    expect((await envelopesOf(served.log, run_ids[0] ?? "")).at(-1)?.type).toBe("run.finished");
    expect(served.opened).toBe(staysUntil === 4 ? 1 : 0);
  }
});

it.each([
  ["does not answer", ""],
  ["speaks another protocol", `{"id":0,"result":{"protocol":1}}\n`],
  ["rejects the greeting", `{"id":0,"error":{"code":"unreadable","message":"Unknown action.","hint":""}}\n`],
  ["speaks HTTP", "HTTP/1.1 400 Bad Request\r\n\r\n"],
])("uses no server that %s", async (_, answer) => {
  const directory = mkdtempSync(join(tmpdir(), "spoor-odd-"));
  const server = createServer((socket) => {
    socket.on("error", () => {}).on("data", () => answer && socket.write(answer));
  });
  await new Promise<void>((resolve) => server.listen(socketFile(directory), resolve));
  onTestFinished(() => {
    server.close();
    rmSync(directory, { recursive: true });
  });
  expect(await openRelayedLog({ directory, openLocal: () => Promise.reject(), helloMs: 200 })).toBeUndefined();
});

it("returns undefined and creates no files where no server runs", async () => {
  const directory = mkdtempSync(join(tmpdir(), "spoor-none-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const where of [directory, join(directory, "missing"), join(directory, "x".repeat(200))]) {
    expect(await openRelayedLog({ directory: where, openLocal: () => Promise.reject() })).toBeUndefined();
  }
  expect(existsSync(join(directory, "missing"))).toBe(false);
});

it("carries guards, effects and rows with their bytes, and the row of a conflict", async () => {
  const served = await serveLogForTest();
  const producer = await served.produce();
  const run_id = newRunId();
  const bytes = new Uint8Array([0, 128, 255]);
  const blob = { do: "insert", table: "blobs", row: { sha256: "x", size: 3, bytes } } as const;
  await producer.append([{ run_id, create, drafts: drafts(1), facts: { pending: 1 }, effects: [blob] }]);
  expect(await producer.rows.find("blobs", "x")).toMatchObject({ sha256: "x", bytes });
  expect(await producer.rows.find("blobs", "y")).toBeUndefined();
  expect(await producer.rows.list("blobs", { where: { bytes: [bytes, null] } })).toEqual(
    await served.log.rows.list("blobs"),
  );
  const again = await producer.rows.write([blob]).catch((error) => error);
  expect(again).toMatchObject({ name: "LogError", code: "conflict", table: "blobs", row: { bytes } });
  const guarded = producer.append([{ run_id, epoch: 1, drafts: drafts(1), when: { pending: 2 } }]);
  await expect(guarded).rejects.toMatchObject({ code: "conflict", row: { run_id, pending: 1 } });
  await producer.append([{ run_id, epoch: 1, drafts: drafts(1), when: { pending: 1 }, facts: { pending: null } }]);
  expect(await served.log.run(run_id)).not.toHaveProperty("pending");
  const wrong = producer.rows.write([{ do: "delete", table: "nowhere", key: "x" } as never]);
  await expect(wrong).rejects.toMatchObject({ code: "bad_row" });
  expect(served.opened).toBe(0);
});

it("keeps a caller's own idempotency key", async () => {
  const served = await serveLogForTest();
  const [one, two] = [await served.produce(), await served.produce()];
  const append = { run_id: newRunId(), create, drafts: drafts(1), idempotency_key: "mine" };
  await one.append([append]);
  await one.append([{ run_id: append.run_id, epoch: 1, drafts: drafts(1) }]);
  expect(await two.append([append])).toMatchObject([{ repeated: true, first_sequence: 0 }]);
  const blob = { do: "insert", table: "blobs", row: { sha256: "x", size: 3 } } as const;
  for (const each of [one, two]) await each.rows.write([blob], { idempotency_key: "mine too" });
});

it("renews a lease and gives it back", async () => {
  const served = await serveLogForTest();
  const producer = await served.produce();
  const run_id = newRunId();
  await served.log.append([{ run_id, create, drafts: [], effects: [queued(run_id)] }]);
  const claim = await served.log.queue.claim("w", ["shell"], 1_000, () => ({ drafts: [] }));
  const epoch = claim?.epoch ?? 0;
  expect(await producer.queue.extend(run_id, epoch, 60_000)).toBe(true);
  expect(await producer.queue.extend(run_id, epoch + 1, 60_000)).toBe(false);
  await producer.queue.release(run_id, epoch);
  expect(await served.log.rows.find("queue", run_id)).toMatchObject({ worker_id: null });
});

it("receives each command of a run once, also when the server goes away in between", async () => {
  const served = await serveLogForTest();
  const producer = await served.produce();
  const seen: string[] = [];
  await served.log.rows.write([command("cmd_0", "run_1"), command("cmd_9", "run_2")]);
  const stop = producer.watchCommands("run_1", (commands) =>
    seen.push(...commands.map(({ command_id }) => command_id)),
  );
  await expect.poll(() => seen).toEqual(["cmd_0"]);
  await served.log.rows.write([command("cmd_1", "run_1")]);
  await expect.poll(() => seen).toEqual(["cmd_0", "cmd_1"]);
  const [done, when] = [{ done_at: 1, outcome: "done" }, { done_at: null }];
  await producer.rows.write([{ do: "update", table: "commands", key: "cmd_0", when, set: done }]);
  // The server does not wait for the end of the long poll, which would take longer than a test may.
  await served.service.close();
  await served.log.rows.write([command("cmd_2", "run_1")]);
  await expect.poll(() => seen, { timeout: 30_000 }).toEqual(["cmd_0", "cmd_1", "cmd_2"]);
  expect(served.opened).toBe(1);
  stop();
  await served.log.rows.write([command("cmd_3", "run_1")]);
  await producer.append([{ run_id: newRunId(), create, drafts: [] }]);
  expect(seen).toHaveLength(3);
});
