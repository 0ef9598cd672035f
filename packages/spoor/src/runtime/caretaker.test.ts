import { expect, it, vi } from "vitest";
import { newRunId, recordedRun } from "../../testing/runtime/recorded-run.ts";
import { envelopesOf, temporaryLog } from "../../testing/runtime/temporary-log.ts";
import type { Log } from "../log/log.ts";
import { Caretaker } from "./caretaker.ts";
import { workerIdOf } from "./worker.ts";

const DAY = 86_400_000;

/** A run that was committed event by event, and has ended. */
async function ofSmallChunks(log: Log, ended_at: number): Promise<string> {
  const run_id = await recordedRun(log);
  for (let event = 0; event < 40; event++) {
    await log.append([
      { run_id, drafts: [{ type: "acme.step", timestamp: 0, json: `{"text":"${"ab".repeat(200)}"}` }] },
    ]);
  }
  await log.append([{ run_id, drafts: [], facts: { ended_at } }]);
  return run_id;
}

const textOf = async (log: Log, run_id: string) =>
  Buffer.concat((await log.read(run_id)).pieces.map(({ bytes }) => bytes)).toString();

/** Returns the number of chunks of a run. */
const chunksOf = async (log: Log, run_id: string) => (await log.upkeep.merge({ run_id })).before;

it("merges the chunks of a run once it has ended, and those of runs that ended before", async () => {
  const { log } = temporaryLog();
  const early = await ofSmallChunks(log, Date.now());
  const before = await textOf(log, early);
  const caretaker = new Caretaker(log);
  await caretaker.round();
  expect(await chunksOf(log, early)).toBeLessThan(3);
  const late = await ofSmallChunks(log, Date.now());
  await caretaker.round();
  expect(await chunksOf(log, late)).toBeLessThan(3);
  expect(await textOf(log, early)).toBe(before);
  await caretaker.close();
});

it("recovers a lost run without waiting for the next round when a process ends", async () => {
  const { log } = temporaryLog();
  const caretaker = new Caretaker(log);
  await caretaker.round();
  const run_id = `run_${newRunId()}`;
  const facts = { status: "running", worker_id: workerIdOf(process.pid, "another time") } as const;
  await log.append([{ run_id, create: { agent: "claude", kind: "agent" }, drafts: [], facts }]);
  caretaker.lookForLost();
  caretaker.lookForLost();
  await vi.waitFor(async () => expect(await log.run(run_id)).toMatchObject({ status: "failed" }), { timeout: 30_000 });
  await caretaker.close();
});

it("distinguishes runs lost before it started from runs lost while it works", async () => {
  const { log } = temporaryLog();
  const lose = async () => {
    const run_id = `run_${newRunId()}`;
    const create = { agent: "claude", kind: "agent" };
    const worker_id = workerIdOf(process.pid, "another time");
    await log.append([{ run_id, create, drafts: [], facts: { status: "running", worker_id } }]);
    return run_id;
  };
  const reasonOf = async (run_id: string) =>
    (await envelopesOf(log, run_id)).find(({ type }) => type === "gap.run_disconnected")?.data.reason;
  const caretaker = new Caretaker(log);
  const before = await lose();
  await caretaker.round();
  expect(await reasonOf(before)).toBe("boot_reconcile");
  const later = await lose();
  await caretaker.round();
  expect(await reasonOf(later)).toBe("worker_lease_expired");
  await caretaker.close();
});

it("compresses a run when it is old enough, whether before or while it works", async () => {
  const { log, directory } = temporaryLog();
  const start = Date.now();
  let now = start;
  const old = await ofSmallChunks(log, start - 8 * DAY);
  const young = await ofSmallChunks(log, start - 6 * DAY);
  const texts = [await textOf(log, old), await textOf(log, young)];
  const caretaker = new Caretaker(log, { compressAfter: 7 * DAY, now: () => now });
  await caretaker.round();
  expect(await sizes(directory, [old, young])).toEqual(["small", "large"]);
  now = start + 2 * DAY;
  await caretaker.round();
  expect(await sizes(directory, [old, young])).toEqual(["small", "small"]);
  expect([await textOf(log, old), await textOf(log, young)]).toEqual(texts);
  for await (const { damage } of log.upkeep.verify()) expect(damage).toEqual([]);
  await caretaker.close();
});

it("reports a failure, continues with other work, retries later, and stops when it is closed", async () => {
  const { log } = temporaryLog();
  const faults: unknown[] = [];
  let isFull = true;
  const merge: Log["upkeep"]["merge"] = (options) =>
    isFull ? Promise.reject(new Error("no room")) : log.upkeep.merge(options);
  const refusing = { ...log.upkeep, merge };
  const broken = new Proxy(log, {
    get(target, name) {
      if (name === "upkeep") return refusing;
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const caretaker = new Caretaker(broken, { onFault: (error) => faults.push(error) });
  const run_id = await ofSmallChunks(log, Date.now());
  await caretaker.round();
  expect(faults).toEqual([new Error("no room"), new Error("no room")]);
  isFull = false;
  await caretaker.round();
  expect(await chunksOf(log, run_id)).toBeLessThan(3);
  await caretaker.close();
  await ofSmallChunks(log, Date.now());
  await caretaker.round();
  expect(faults).toHaveLength(2);
});

/** Compares the stored size of runs with the size that readers get. */
async function sizes(directory: string, run_ids: readonly string[]): Promise<string[]> {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const database = new DatabaseSync(`${directory}/spoor.db`, { readOnly: true });
  const weight = database.prepare(
    "SELECT sum(length(body)) AS stored, bytes FROM chunks JOIN runs USING (run) WHERE run_id = ?",
  );
  const found = run_ids.map((run_id) => weight.get(run_id) as { stored: number; bytes: number });
  database.close();
  return found.map(({ stored, bytes }) => (stored < bytes / 3 ? "small" : "large"));
}
