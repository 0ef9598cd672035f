// Measures appends: durable appends against bare writes to a file, many producers against one, and the slowest commit
// against the median commit.

import { closeSync, fdatasyncSync, mkdirSync, openSync, writeSync } from "node:fs";
import path from "node:path";
import type { Effect } from "../../packages/spoor/src/log/effects.ts";
import { openLogSync } from "../../packages/spoor/src/log/open.ts";
import { openFile } from "../../packages/spoor/src/log/sqlite/driver.ts";
import { median, percentiles } from "../measure.ts";
import { atLeast, atMost, times } from "../table.ts";
import { deltas, newRunId } from "./events.ts";
import { group } from "./group.ts";
import { type Pair, rates, speed } from "./pairs.ts";

const COMMIT = 100;
const PRODUCERS = 64;

await group(async function* ({ quick, directory }) {
  const durable = await durableAppend(directory, quick ? 3 : 21, quick ? 5 : 40);
  yield atLeast(
    `durable append, commits of ${COMMIT} events`,
    speed(durable),
    "write + fdatasync of the same bytes",
    { goal: 0.5, aim: 0.7 },
    rates(COMMIT, durable, "events/s"),
  );
  for (const durability of ["full", "process"] as const) {
    const { spent, pagesOnly } = await appendWithEffects(directory, durability, quick ? 3 : 41, quick ? 5 : 60);
    yield atLeast(
      `append with an effect, ${COMMIT} events, durability ${durability}`,
      speed(spent),
      "the same append without",
      { goal: 0.97 },
      `${rates(COMMIT, spent, "events/s")}; with nothing but two more pages in SQLite ${times(pagesOnly)}`,
    );
  }
  const grouped = await groupCommit(directory, quick ? 2 : 9, quick ? 16 : 64);
  yield atLeast(
    `${PRODUCERS} producers of single durable events`,
    speed(grouped),
    "a commit for each",
    { goal: 20, aim: 40 },
    rates(1, grouped, "events/s"),
  );
  const stalls = await commitTimes(directory, quick ? 50 : 3_000);
  yield atMost(
    "p99 of commits, including checkpoints",
    stalls.p99 / stalls.p50,
    "their p50",
    { goal: 10, aim: 5 },
    `${(stalls.p99 * 1e3).toFixed(2)} and ${(stalls.p50 * 1e3).toFixed(2)} ms; of plain parsing meanwhile ${times(stalls.noise.p99 / stalls.noise.p50)}`,
  );
});

/** Measures, per round, the time of a commit and the time to write the same bytes to a bare file. */
async function durableAppend(directory: string, rounds: number, commits: number) {
  const log = openLogSync({ directory: path.join(directory, "durable"), durability: "full" });
  const file = openSync(path.join(directory, "bare"), "a");
  const run_id = newRunId();
  await log.append([{ run_id, create: { agent: "claude", kind: "agent" }, drafts: [] }]);
  const spent: Pair[] = [];
  let written: Buffer[] = [];
  log.watch(({ bytes }) => written.push(bytes));
  for (let round = -3; round < rounds; round++) {
    const batches = Array.from({ length: commits }, (_, index) => deltas(COMMIT, index * COMMIT));
    written = [];
    const ours = await wall(async () => {
      for (const drafts of batches) await log.append([{ run_id, epoch: 1, drafts }]);
    });
    const bare = await wall(() => {
      for (const bytes of written) {
        writeSync(file, bytes);
        fdatasyncSync(file);
      }
    });
    if (round >= 0) spent.push({ ours: ours / commits, floor: bare / commits });
  }
  closeSync(file);
  await log.close();
  return spent;
}

/**
 * Measures a commit that also changes a row, and one that does not; both in turns. A round's time is the median of its
 * commits, because a checkpoint or another program delays single ones by more than an effect costs. `pagesOnly` is
 * the speed that would result if an effect cost no more than SQLite needs to write two more pages: the row's, and the note's
 * from which other processes learn of it.
 */
async function appendWithEffects(directory: string, durability: "full" | "process", rounds: number, commits: number) {
  const log = openLogSync({ directory: path.join(directory, `effects-${durability}`), durability });
  const bare = bareCommits(path.join(directory, `pages-${durability}`), durability);
  const run_id = newRunId();
  const queued = { run_id, kind: "agent", priority: 0, due_at: 0, enqueued_at: 0, worker_id: "w", lease_until: 0 };
  const effects: Effect[] = [{ do: "insert", table: "queue", row: queued }];
  await log.append([{ run_id, create: { agent: "claude", kind: "agent" }, drafts: [], effects }]);
  const renewal = (lease_until: number): Effect[] => [
    { do: "update", table: "queue", key: run_id, when: { worker_id: "w" }, set: { lease_until } },
  ];
  let written: Buffer = Buffer.alloc(0);
  log.watch(({ bytes }) => {
    written = bytes;
  });
  const spent: Pair[] = [];
  const pages: number[] = [];
  for (let round = -3; round < rounds; round++) {
    const samples: Record<"ours" | "floor" | "more" | "less", number[]> = { ours: [], floor: [], more: [], less: [] };
    for (let index = 0; index < commits; index++) {
      const append = { run_id, epoch: 1, drafts: deltas(COMMIT, index * COMMIT) };
      const full = { ...append, effects: renewal(index) };
      await inTurn(
        index,
        async () => samples.ours.push(await wall(() => log.append([full]))),
        async () => samples.floor.push(await wall(() => log.append([append]))),
      );
    }
    for (let index = 0; index < commits; index++) {
      await inTurn(
        index,
        async () => samples.more.push(await wall(() => bare.commit(written, true))),
        async () => samples.less.push(await wall(() => bare.commit(written, false))),
      );
    }
    if (round < 0) continue;
    const [ours, floor] = [median(samples.ours), median(samples.floor)];
    spent.push({ ours, floor });
    pages.push(floor / (floor + median(samples.more) - median(samples.less)));
  }
  bare.close();
  await log.close();
  return { spent, pagesOnly: median(pages) };
}

async function inTurn(index: number, one: () => Promise<unknown>, other: () => Promise<unknown>): Promise<void> {
  for (const work of index % 2 === 0 ? [one, other] : [other, one]) await work();
}

/** Commits of the same bytes with nothing but SQLite, and with two more pages if asked. */
function bareCommits(directory: string, durability: "full" | "process") {
  mkdirSync(directory);
  const database = openFile(path.join(directory, "bare.db"));
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability === "full" ? "FULL" : "NORMAL"};
    CREATE TABLE chunks (position INTEGER PRIMARY KEY, body BLOB) STRICT;
    CREATE TABLE queue (run_id INTEGER PRIMARY KEY, lease_until INTEGER) STRICT;
    CREATE TABLE changes (change INTEGER PRIMARY KEY, key TEXT) STRICT;
    INSERT INTO queue VALUES (1, 0)`);
  const [begin, commit] = [database.prepare("BEGIN IMMEDIATE"), database.prepare("COMMIT")];
  const insert = database.prepare("INSERT INTO chunks (body) VALUES (?)");
  const update = database.prepare("UPDATE queue SET lease_until = lease_until + 1 WHERE run_id = 1");
  const note = database.prepare("INSERT INTO changes (key) VALUES ('run_01M0000000000000000000000')");
  return {
    commit(bytes: Buffer, hasMore: boolean): void {
      begin.run();
      insert.run(bytes);
      if (hasMore) {
        update.run();
        note.run();
      }
      commit.run();
    },
    close: () => database.close(),
  };
}

/** Measures the time per event with many producers, each waiting for its own append, and with a single producer. */
async function groupCommit(directory: string, rounds: number, each: number) {
  const log = openLogSync({ directory: path.join(directory, "grouped"), durability: "full" });
  const run_id = newRunId();
  await log.append([{ run_id, create: { agent: "claude", kind: "agent" }, drafts: [] }]);
  const produce = async (count: number) => {
    for (const draft of deltas(count)) await log.append([{ run_id, epoch: 1, drafts: [draft] }]);
  };
  const spent: Pair[] = [];
  for (let round = -1; round < rounds; round++) {
    const alone = await wall(() => produce(each));
    const together = await wall(() => Promise.all(Array.from({ length: PRODUCERS }, () => produce(each))));
    if (round >= 0) spent.push({ ours: together / (each * PRODUCERS), floor: alone / each });
  }
  await log.close();
  return spent;
}

/** Measures consecutive commits, enough for several checkpoints, and busy work that only the machine can delay. */
async function commitTimes(directory: string, commits: number) {
  const log = openLogSync({ directory: path.join(directory, "stalls"), durability: "process" });
  const run_id = newRunId();
  await log.append([{ run_id, create: { agent: "claude", kind: "agent" }, drafts: [] }]);
  const commitsTook: number[] = [];
  const noise: number[] = [];
  for (let commit = 0; commit < commits; commit++) {
    const drafts = deltas(COMMIT, commit * COMMIT);
    commitsTook.push(await wall(() => log.append([{ run_id, epoch: 1, drafts }])));
    noise.push(await wall(() => parse(drafts, 10)));
  }
  await log.close();
  return { ...percentiles(commitsTook.slice(commits / 10)), noise: percentiles(noise.slice(commits / 10)) };
}

/** Takes about as long as a commit, so that the scheduler interrupts both equally often. */
function parse(drafts: readonly { json: string }[], times: number): void {
  for (let time = 0; time < times; time++) for (const { json } of drafts) JSON.parse(json);
}

/** Seconds. */
async function wall(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
}
