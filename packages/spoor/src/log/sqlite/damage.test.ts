import { closeSync, copyFileSync, openSync, readFileSync, writeSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRun, draft, eventsOf, linesOf, readWhole } from "../../../testing/log/drafts.ts";
import { LogError } from "../errors.ts";
import type { Log } from "../log.ts";
import { openLogSync } from "../open.ts";
import { logFile } from "./connection.ts";
import { openFile } from "./driver.ts";

let pristine = "";
let directory = "";
const runs = new Map<string, { lines: string[]; record: unknown }>();

beforeAll(async () => {
  pristine = await mkdtemp(join(tmpdir(), "spoor-whole-"));
  directory = await mkdtemp(join(tmpdir(), "spoor-flip-"));
  const log = openLogSync({ directory: pristine });
  for (let index = 0; index < 3; index++) {
    const run_id = await createRun(log, 8);
    for (let commit = 0; commit < 4; commit++)
      await log.append([{ run_id, drafts: [draft(`c${commit}`), draft("d")] }]);
    await log.append([{ run_id, drafts: [], facts: { status: "completed", title: "whole" } }]);
  }
  for (const { run_id } of (await log.runs()).runs) {
    const lines = linesOf(await readWhole((after) => log.read(run_id, { after })));
    runs.set(run_id, { lines, record: await log.run(run_id) });
  }
  await log.close();
});
afterAll(async () => {
  await rm(pristine, { recursive: true });
  await rm(directory, { recursive: true });
});

describe("damage in the store", () => {
  it("in one bit of a tape is reported by verify and by reading the tape", { timeout: 60_000 }, async () => {
    restore();
    const log = openLogSync({ directory });
    const run_id = await createRun(log, 1);
    const lines = Array.from({ length: 20 }, (_, at) => ({ at, from: "stdout" as const, text: `{"line":${at}}` }));
    await log.tapes.append(run_id, lines);
    expect(await Readable.from(log.tapes.read(run_id)).toArray()).toEqual(lines);
    const database = openFile(logFile(directory));
    const tape = Buffer.from(database.prepare("SELECT body FROM tapes").get()?.body as Uint8Array);
    for (let bit = 0; bit < tape.length * 8; bit++) {
      const flipped = Buffer.from(tape);
      flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
      database.prepare("UPDATE tapes SET body = ?").run(flipped);
      const read = await Readable.from(log.tapes.read(run_id))
        .toArray()
        .catch((error: unknown) => error);
      // Some bits of the compressed block have no meaning, so changing them changes nothing.
      if (!(read instanceof LogError)) expect(read).toEqual(lines);
      const [verdict] = await Readable.from(log.upkeep.verify(run_id)).toArray();
      expect(verdict?.tape, `bit ${bit}`).toBe(read instanceof LogError ? "corrupt" : undefined);
    }
    database.close();
    await log.close();
  });

  it("inside a run is replaced by a gap, and the events before and after it stay", async () => {
    restore();
    const [[run_id, { lines }] = ["", { lines: [] as string[] }]] = runs;
    flip(readFileSync(logFile(directory)).indexOf(lines[9] as string) + 100, 1);
    const log = openLogSync({ directory });
    const events = eventsOf(await readWhole((after) => log.read(run_id, { after })));
    expect(events.filter(({ type }) => type === "gap.events_lost")).toMatchObject([
      { sequence: 9, data: { first_lost_sequence: 8, last_lost_sequence: 9, reason: "corrupt" } },
    ]);
    expect(events.map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15]);
    const verdicts = await verify(log);
    expect(verdicts.flatMap(({ damage }) => damage)).toEqual([
      { first_sequence: 8, last_sequence: 9, reason: "corrupt" },
    ]);
    await log.close();
  });

  it("in the names of types, by which filters find events, is reported by verify", async () => {
    restore();
    const database = openFile(logFile(directory));
    database.exec("UPDATE event_types SET name = 'external.evens'");
    database.close();
    const log = openLogSync({ directory });
    for await (const { damage } of log.upkeep.verify()) expect(damage).not.toEqual([]);
    await log.close();
  });

  it("is reported to readers with a filter, of one run and of all", async () => {
    restore();
    const [[run_id, { lines }] = ["", { lines: [] as string[] }]] = runs;
    flip(readFileSync(logFile(directory)).indexOf(lines[9] as string) + 100, 1);
    const log = openLogSync({ directory });
    const match = (type: string) => type === "external.event";
    for (const read of [
      (after: number) => log.read(run_id, { after, match }),
      (after: number) => log.readAll({ after, match }),
    ]) {
      const types = eventsOf(await readWhole(read)).map(({ type }) => type);
      expect(types.filter((type) => type === "gap.events_lost")).toHaveLength(1);
    }
    await log.close();
  });
});

function restore(): void {
  for (const end of ["", ".marks"]) copyFileSync(`${logFile(pristine)}${end}`, `${logFile(directory)}${end}`);
}

function flip(offset: number, bit: number): void {
  const bytes = readFileSync(logFile(directory));
  const file = openSync(logFile(directory), "r+");
  writeSync(file, Buffer.from([(bytes[offset] ?? 0) ^ (1 << bit)]), 0, 1, offset);
  closeSync(file);
}

async function verify(log: Log) {
  const verdicts = [];
  for await (const verdict of log.upkeep.verify()) verdicts.push(verdict);
  return verdicts;
}
