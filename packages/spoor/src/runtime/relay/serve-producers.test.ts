import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { drafts, newRunId } from "../../../testing/log/drafts.ts";
import { connectRaw } from "../../../testing/relay/raw-connection.ts";
import { serveLogForTest } from "../../../testing/relay/serve-log.ts";
import { temporaryLog } from "../../../testing/runtime/temporary-log.ts";
import type { RunAppend } from "../../log/log.ts";
import { MemoryRows } from "../../log/memory-rows.ts";
import type { ReadableLog } from "../recorder/stored-lines.ts";
import { handleProducer } from "./handle-producer.ts";
import { openRelayedLog } from "./relayed-log.ts";
import { serveProducers } from "./serve-producers.ts";
import { socketFile } from "./socket-file.ts";

const create = { agent: "toy", kind: "agent" };

describe("the socket", () => {
  it("can be opened only by its owner and is removed when the server stops", async () => {
    const { directory, service } = await serveLogForTest();
    const file = socketFile(directory) as string;
    expect(lstatSync(file).mode & 0o777).toBe(0o600);
    await service.close();
    expect(existsSync(file)).toBe(false);
  });

  it("stays with the first server when a second one starts and stops", async () => {
    const { directory, log, produce } = await serveLogForTest();
    const second = await serveProducers({ log, directory });
    await second.close();
    await (await produce()).append([{ run_id: newRunId(), create, drafts: [] }]);
  });

  it("is replaced when the server that created it was killed", async () => {
    const { log, directory } = temporaryLog();
    await leaveStaleSocket(directory);
    expect(await reach(directory)).toBeUndefined();
    const service = await serveProducers({ log, directory });
    const producer = await reach(directory);
    expect(producer).toBeDefined();
    await producer?.close();
    await service.close();
  });

  it("is not removed by a server whose socket was replaced by another server's", async () => {
    const { directory, service, log, produce } = await serveLogForTest();
    rmSync(socketFile(directory) as string);
    const second = await serveProducers({ log, directory });
    await service.close();
    await (await produce()).append([{ run_id: newRunId(), create, drafts: [] }]);
    await second.close();
  });

  it("is not created where another file has its name, and the server reports that", async () => {
    const { log, directory } = temporaryLog();
    writeFileSync(socketFile(directory) as string, "mine");
    const failures: string[] = [];
    const service = await serveProducers({ log, directory, onFailure: ({ message }) => failures.push(message) });
    await service.close();
    expect(failures).toEqual([expect.stringContaining("is not a socket")]);
    expect(readFileSync(socketFile(directory) as string, "utf8")).toBe("mine");
  });

  it("is not created where its path is too long, or on Windows, and that is not an error", async () => {
    const { log, directory } = temporaryLog();
    const deep = join(directory, "d".repeat(120));
    mkdirSync(deep);
    const onFailure = vi.fn();
    await (await serveProducers({ log, directory: deep, onFailure })).close();
    expect(onFailure).not.toHaveBeenCalled();
    expect(socketFile("C:\\data", "win32")).toBeUndefined();
  });

  it.skipIf(process.getuid?.() === 0)("reports a directory that cannot be written", async () => {
    const { log } = temporaryLog();
    const directory = mkdtempSync(join(tmpdir(), "spoor-read-only-"));
    chmodSync(directory, 0o500);
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const onFailure = vi.fn();
    await (await serveProducers({ log, directory, onFailure })).close();
    expect(onFailure).toHaveBeenCalledOnce();
  });
});

describe("an invalid request", () => {
  const run_id = newRunId();
  const append = (fields: object) =>
    JSON.stringify({ id: 1, do: "append", batch: [{ run_id, create, drafts: [], ...fields }] });
  const draft = (fields: object) => append({ drafts: [{ type: "a.b", timestamp: 1, json: "{}", ...fields }] });

  it.each([
    ["not JSON", "garbage"],
    ["not an object", "[]"],
    ["null", "null"],
    ["no id", `{"do":"runs"}`],
    ["an id of the wrong type", `{"id":{},"do":"runs"}`],
    ["no action", `{"id":1}`],
    ["an unknown action", `{"id":1,"do":"claim"}`],
    ["an action named like a property of every object", `{"id":1,"do":"toString"}`],
    ["no batch", `{"id":1,"do":"append"}`],
    ["a run id of the wrong type", append({ run_id: 1 })],
    ["an invalid run id", append({ run_id: "run\n1" })],
    ["an invalid task id", append({ create: { ...create, task_id: "mine" } })],
    ["an epoch of the wrong type", append({ epoch: "1" })],
    ["an unknown status", append({ facts: { status: "asleep" } })],
    ["a fact of the wrong type", append({ facts: { native_session_id: {} } })],
    ["an agent of the wrong type", append({ create: { agent: {}, kind: "agent" } })],
    ["a time beyond all dates", draft({ timestamp: 1e300 })],
    ["a time after the year 9999", draft({ timestamp: Date.UTC(10_000, 0) })],
    ["a time that is not a whole number", draft({ timestamp: 1.5 })],
    ["no time", draft({ timestamp: null })],
    ["data that is not JSON", draft({ json: "{" })],
    ["data that is not an object", draft({ json: "[]" })],
    ["data with a line feed", draft({ json: "{\n}" })],
    ["data with a carriage return", draft({ json: "{\r}" })],
    [
      "a tape line from an unknown source",
      JSON.stringify({ id: 1, do: "tape", run_id, lines: [{ at: 1, from: "afar", text: "" }], idempotency_key: "k" }),
    ],
    ["an invalid query", `{"id":1,"do":"runs","query":{"limit":"all"}}`],
    ["a line that is too long", "x".repeat(20_000)],
  ])("is answered with an error and ends the connection: %s", async (_, line) => {
    const { log, directory, produce } = await serveLogForTest({ maxLineBytes: 10_000 });
    const producer = await produce();
    const { socket, next } = await connectRaw(directory);
    socket.write(`${line}\n{"id":2,"do":"runs"}\n`);
    expect(await next()).toEqual({
      id: line.startsWith(`{"id":1`) ? 1 : null,
      error: { code: "unreadable", message: expect.any(String), hint: expect.any(String) },
    });
    expect(await next()).toBeUndefined();
    expect((await log.runs()).runs).toEqual([]);
    // Other producers are not affected.
    await producer.append([{ run_id, create, drafts: drafts(1) }]);
  });

  it("harms neither the log nor other producers, whatever it contains", { timeout: 120_000 }, async () => {
    const { log, directory, produce } = await serveLogForTest();
    const producer = await produce();
    const own = newRunId();
    await producer.append([{ run_id: own, create, drafts: drafts(1) }]);
    const odd = fc.jsonValue({ maxDepth: 1 });
    const request = fc.record(
      {
        id: fc.oneof(fc.nat(), odd),
        do: fc.oneof(fc.constantFrom("append", "tape", "runs", "hello"), odd),
        run_id: fc.oneof(fc.constant(own), odd),
        lines: fc.oneof(fc.array(odd, { maxLength: 2 }), odd),
        query: fc.oneof(fc.record({ agent: odd, limit: odd, status: odd }, { requiredKeys: [] }), odd),
        batch: fc.array(
          fc.record(
            {
              run_id: fc.oneof(fc.constant(own), odd),
              create: fc.oneof(fc.record({ agent: fc.oneof(fc.string(), odd), kind: fc.string(), task_id: odd }), odd),
              epoch: fc.oneof(fc.nat({ max: 2 }), odd),
              facts: fc.oneof(fc.record({ status: odd, native_session_id: odd }, { requiredKeys: [] }), odd),
              drafts: fc.array(
                fc.record({
                  type: fc.oneof(fc.constant("a.b"), odd),
                  timestamp: fc.oneof(fc.constant(1), fc.double(), odd),
                  json: fc.oneof(fc.constant("{}"), fc.json(), odd),
                }),
                { maxLength: 2 },
              ),
            },
            { requiredKeys: ["run_id", "drafts"] },
          ),
          { maxLength: 2 },
        ),
      },
      { requiredKeys: ["id", "do"] },
    );
    const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
    const line = fc.oneof(
      request.map((value) => Buffer.from(JSON.stringify(value))),
      bytes,
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 4 }), async (lines) => {
        const { socket, next } = await connectRaw(directory);
        socket.end(Buffer.concat(lines.flatMap((line) => [line, Buffer.from("\n")])));
        while (await next());
        await producer.append([{ run_id: own, epoch: 1, drafts: drafts(1) }]);
      }),
      { numRuns: 300 },
    );
    for await (const { damage } of log.upkeep.verify()) expect(damage).toEqual([]);
    expect((await log.runs()).runs.filter(({ damaged }) => damaged)).toEqual([]);
  });

  it("is dropped when the connection ends in the middle of a line", async () => {
    const { log, directory } = await serveLogForTest();
    const { socket, next } = await connectRaw(directory);
    socket.end(append({}));
    expect(await next()).toBeUndefined();
    expect((await log.runs()).runs).toEqual([]);
  });
});

describe("a slow log", () => {
  it("applies backpressure: the server stops reading from the socket", async () => {
    const log = slowLog();
    let serverSocket: Socket | undefined;
    const directory = mkdtempSync(join(tmpdir(), "spoor-slow-"));
    const server = createServer((socket) => {
      serverSocket = socket.on("error", () => {});
      handleProducer(socket, log);
    }).listen(socketFile(directory));
    await once(server, "listening");
    onTestFinished(() => {
      server.close();
      rmSync(directory, { recursive: true });
    });
    const { socket, next } = await connectRaw(directory);
    const json = JSON.stringify({ text: "x".repeat(1024 * 1024) });
    for (let id = 0; id < 40; id++) {
      const batch = [{ run_id: "run_1", drafts: [{ type: "a.b", timestamp: 1, json }] }];
      socket.write(`${JSON.stringify({ id, do: "append", batch })}\n`);
    }
    await vi.waitFor(() => expect(serverSocket?.isPaused()).toBe(true), { timeout: 30_000 });
    expect(log.waiting.length).toBeLessThan(12);
    log.release();
    for (let id = 0; id < 40; id++) expect(await next()).toMatchObject({ id, result: [] });
    socket.destroy();
  });

  it("finishes running requests when the server stops, and the producer gets the answers", async () => {
    const { directory } = temporaryLog();
    const log = slowLog();
    const service = await serveProducers({ log, directory });
    const { socket, next } = await connectRaw(directory);
    socket.write(`${JSON.stringify({ id: 1, do: "append", batch: [{ run_id: "run_1", drafts: [] }] })}\n`);
    await expect.poll(() => log.waiting).toHaveLength(1);
    const closing = service.close();
    expect(existsSync(socketFile(directory) as string)).toBe(false);
    log.release();
    await closing;
    expect(await next()).toEqual({ id: 1, result: [] });
    expect(await next()).toBeUndefined();
  });
});

/** A log whose appends wait until `release` is called. */
function slowLog(): ReadableLog & { waiting: (readonly RunAppend[])[]; release(): void } {
  const released = Promise.withResolvers<void>();
  const waiting: (readonly RunAppend[])[] = [];
  return {
    waiting,
    release: () => released.resolve(),
    read: () => Promise.reject(new Error("This log is not read.")),
    async append(batch) {
      waiting.push(batch);
      await released.promise;
      return [];
    },
    runs: async () => ({ runs: [], more: false }),
    tapes: { append: async () => {} },
    rows: new MemoryRows(),
    queue: { extend: async () => true, release: async () => {} },
    watchCommands: () => () => {},
  };
}

const reach = (directory: string) => openRelayedLog({ directory, openLocal: () => Promise.reject() });

/** Leaves the socket file of a killed server behind. */
async function leaveStaleSocket(directory: string): Promise<void> {
  const server = createServer().listen(join(directory, "other"));
  await once(server, "listening");
  renameSync(join(directory, "other"), socketFile(directory) as string);
  server.close();
  await once(server, "close");
}
