import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Log, LogDraft } from "../log.ts";
import { openLogSync } from "../open.ts";
import { at, countOf } from "../ranges.ts";
import { type Batch, createFeeds, type Feeds, type Reader } from "./feed.ts";

async function openIn(directory: string, recentBytes?: number): Promise<{ log: Log; feeds: Feeds }> {
  const log = openLogSync({ directory, durability: "process", ...(recentBytes !== undefined && { recentBytes }) });
  const feeds = createFeeds(log);
  onTestFinished(async () => {
    feeds.close();
    await log.close();
  });
  return { log, feeds };
}

async function folder(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "spoor-feed-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

const drafts = (count: number, type = "acme.step"): LogDraft[] =>
  Array.from({ length: count }, () => ({ type, timestamp: 0, json: '{"type":"run.finished"}' }));

const runs = ["run_01K9ZC0000SP00R00000000000", "run_01K9ZC0000SP00R00000000001"] as const;

async function begin(log: Log, run_id: string, count = 1): Promise<void> {
  await log.append([{ run_id, create: { agent: "claude", kind: "agent" }, drafts: drafts(count) }]);
}

/** Collects the sequences that it takes; `until` resolves when it has taken that many. */
function collector(room: () => boolean = () => true) {
  const batches: Batch[] = [];
  const places: number[] = [];
  let wanted = Number.POSITIVE_INFINITY;
  let done = () => {};
  const reader: Reader = {
    take(batch) {
      batches.push(batch);
      for (const { sequences } of batch.pieces) {
        for (let index = 0; index < countOf(sequences); index++) places.push(at(sequences, index));
      }
      if (places.length >= wanted) done();
      return room();
    },
    failed(error) {
      throw error;
    },
  };
  const until = (count: number) =>
    new Promise<void>((resolve) => {
      wanted = count;
      done = resolve;
      if (places.length >= count) resolve();
    });
  return { reader, batches, places, until };
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, sequence) => sequence);

describe("following a run", () => {
  it("serves a reader that resumes together with the others", async () => {
    const { log, feeds } = await openIn(await folder());
    await begin(log, runs[0]);
    let hasRoom = false;
    const slow = collector(() => hasRoom);
    const quick = collector();
    const subscription = feeds.followRun(runs[0], -1, slow.reader);
    feeds.followRun(runs[0], -1, quick.reader);
    await Promise.all([slow.until(1), quick.until(1)]);
    await log.append([{ run_id: runs[0], drafts: drafts(1) }]);
    hasRoom = true;
    subscription.resume();
    await Promise.all([slow.until(2), quick.until(2)]);
    expect(slow.places).toEqual([0, 1]);
    expect(slow.batches[1]).toBe(quick.batches[1]);
  });

  it("gives readers with the same cursor the same batch", async () => {
    const { log, feeds } = await openIn(await folder());
    await begin(log, runs[0]);
    const readers = [collector(), collector(), collector()];
    for (const { reader } of readers) feeds.followRun(runs[0], -1, reader);
    await Promise.all(readers.map(({ until }) => until(1)));
    await log.append([{ run_id: runs[0], drafts: drafts(5) }]);
    await Promise.all(readers.map(({ until }) => until(6)));
    const [first, ...others] = readers.map(({ batches }) => batches.at(-1));
    for (const other of others) expect(other).toBe(first);
  });

  it("delivers the commits of another process in order with its own", async () => {
    const directory = await folder();
    const [here, there] = [await openIn(directory), await openIn(directory)];
    await begin(here.log, runs[0]);
    const { reader, places, until } = collector();
    here.feeds.followRun(runs[0], -1, reader);
    for (let round = 0; round < 10; round++) {
      await there.log.append([{ run_id: runs[0], drafts: drafts(2) }]);
      await here.log.append([{ run_id: runs[0], drafts: drafts(1) }]);
    }
    await until(31);
    expect(places).toEqual(upTo(31));
  });

  it("gives nothing to a reader that applies backpressure or has left", async () => {
    const { log, feeds } = await openIn(await folder());
    await begin(log, runs[0]);
    let hasRoom = false;
    const [full, gone, free] = [collector(() => hasRoom), collector(), collector()];
    const subscription = feeds.followRun(runs[0], -1, full.reader);
    const left = feeds.followRun(runs[0], -1, gone.reader);
    feeds.followRun(runs[0], -1, free.reader);
    await Promise.all([full.until(1), gone.until(1)]);
    left.close();
    for (let batch = 0; batch < 5; batch++) await log.append([{ run_id: runs[0], drafts: drafts(10) }]);
    await free.until(51);
    expect([full.places.length, gone.places.length]).toEqual([1, 1]);
    hasRoom = true;
    subscription.resume();
    await full.until(51);
    expect(full.places).toEqual(upTo(51));
  });

  it("gives nothing to a reader whose hasRoom returns false", async () => {
    const { log, feeds } = await openIn(await folder());
    await begin(log, runs[0]);
    let hasRoom = false;
    const [shared, free] = [collector(), collector()];
    const subscription = feeds.followRun(runs[0], -1, { ...shared.reader, hasRoom: () => hasRoom });
    feeds.followRun(runs[0], -1, free.reader);
    for (let batch = 0; batch < 5; batch++) await log.append([{ run_id: runs[0], drafts: drafts(10) }]);
    await free.until(51);
    subscription.resume();
    expect(shared.places).toEqual([]);
    hasRoom = true;
    subscription.resume();
    // Another reader may fill the shared buffer while the store is read.
    hasRoom = false;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(shared.places).toEqual([]);
    hasRoom = true;
    subscription.resume();
    await shared.until(51);
    expect(shared.places).toEqual(upTo(51));
  });

  it("recognises the terminal event by its type, not by the text of a caller", async () => {
    const { log, feeds } = await openIn(await folder());
    await begin(log, runs[0]);
    const { reader, until } = collector();
    const subscription = feeds.followRun(runs[0], -1, reader, (type) => type === "acme.step");
    await log.append([{ run_id: runs[0], drafts: drafts(1) }]);
    await until(2);
    expect(subscription.ended).toBe(false);
    await log.append([{ run_id: runs[0], epoch: 1, drafts: [...drafts(1, "run.failed"), ...drafts(1)] }]);
    await until(3);
    expect(subscription.ended).toBe(true);
  });

  it("calls failed once when the log cannot be read", async () => {
    const { log, feeds } = await openIn(await folder());
    const failures: unknown[] = [];
    await new Promise<void>((resolve) => {
      feeds.followRun("run_nobody", -1, {
        take: () => true,
        failed(error) {
          failures.push(error);
          resolve();
        },
      });
    });
    await begin(log, runs[0]);
    expect(failures).toMatchObject([{ code: "run_not_found" }]);
  });
});

describe("any readers and writers", () => {
  const isStep = (type: string): boolean => type === "acme.step";

  it("deliver each event once and in order, whatever is in memory and however slow the readers are", async () => {
    const directory = await folder();
    let number = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(1), fc.integer({ min: 1, max: 400 })), { minLength: 1, maxLength: 12 }),
        fc.array(
          fc.record({ after: fc.integer({ min: -1, max: 39 }), isSlow: fc.boolean(), isFiltered: fc.boolean() }),
        ),
        fc.constantFrom(500, 100_000, 10_000_000),
        async (writes, readings, recentBytes) => {
          number += 1;
          const { log, feeds } = await openIn(path.join(directory, `${number}`), recentBytes);
          for (const run_id of runs) await begin(log, run_id, 40);
          const everything = collector();
          feeds.followAll(-1, everything.reader);
          const started = readings.map(({ after, isSlow, isFiltered }) => {
            const one = collector(() => !isSlow);
            const subscription = feeds.followRun(runs[0], after, one.reader, isFiltered ? isStep : undefined);
            const nudge = setInterval(() => subscription.resume(), 1);
            return { ...one, nudge, after, isFiltered };
          });
          for (const [which, count] of writes) {
            const added = [...drafts(count), ...drafts(1, "acme.other")];
            await log.append([{ run_id: runs[which] as string, epoch: 1, drafts: added }]);
          }
          const held = await log.read(runs[0], { maxBytes: 1e9 });
          const types = held.pieces.flatMap(({ bytes }) =>
            bytes
              .toString()
              .trimEnd()
              .split("\n")
              .map((line) => (JSON.parse(line) as { type: string }).type),
          );
          for (const { after, isFiltered, nudge, places, until } of started) {
            const wanted = types.flatMap((type, sequence) =>
              sequence > after && (!isFiltered || isStep(type)) ? [sequence] : [],
            );
            await until(wanted.length);
            clearInterval(nudge);
            expect(places).toEqual(wanted);
          }
          await everything.until(log.lastPosition + 1);
          const positions = everything.batches.flatMap(({ pieces }) =>
            pieces.map(({ positions: [first] }) => first?.[0]),
          );
          expect(positions).toEqual([...positions].sort((a = 0, b = 0) => a - b));
          expect(everything.places).toHaveLength(log.lastPosition + 1);
        },
      ),
      { numRuns: 15 },
    );
  });
});
