// Measures appends: durable appends against bare writes to a file, many producers against one, and the slowest commit
// against the median commit.

import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import path from "node:path";
import type { Effect } from "../../packages/spoor/src/log/effects.ts";
import { openLogSync } from "../../packages/spoor/src/log/open.ts";
import { percentiles } from "../measure.ts";
import { atLeast, atMost, times } from "../table.ts";
import { deltas, newRunId } from "./events.ts";
import { group } from "./group.ts";
import { type Pair, rates, speed } from "./pairs.ts";

const COMMIT = 100;
const PRODUCERS = 64;
/** Without a sync of the disk, the two more pages that an effect writes are a visible part of the commit. */
const effectGoals = [
  { durability: "full", goal: 0.97 },
  { durability: "process", goal: 0.85 },
] as const;

await group(async function* ({ quick, directory }) {
  const durable = await durableAppend(directory, quick ? 3 : 21, quick ? 5 : 40);
  yield atLeast(
    `durable append, commits of ${COMMIT} events`,
    speed(durable),
    "write + fdatasync of the same bytes",
    { goal: 0.5, aim: 0.7 },
    rates(COMMIT, durable, "events/s"),
  );
  for (const { durability, goal } of effectGoals) {
    const withEffects = await appendWithEffects(directory, durability, quick ? 3 : 21, quick ? 5 : 60);
    yield atLeast(
      `append with an effect, ${COMMIT} events, durability ${durability}`,
      speed(withEffects),
      "the same append without",
      { goal },
      rates(COMMIT, withEffects, "events/s"),
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

/** Measures, per round, the time of a commit that also changes a row, and of one that does not; both in turns. */
async function appendWithEffects(directory: string, durability: "full" | "process", rounds: number, commits: number) {
  const log = openLogSync({ directory: path.join(directory, `effects-${durability}`), durability });
  const run_id = newRunId();
  const queued = { run_id, kind: "agent", priority: 0, due_at: 0, enqueued_at: 0, worker_id: "w", lease_until: 0 };
  const effects: Effect[] = [{ do: "insert", table: "queue", row: queued }];
  await log.append([{ run_id, create: { agent: "claude", kind: "agent" }, drafts: [], effects }]);
  const renewal = (lease_until: number): Effect[] => [
    { do: "update", table: "queue", key: run_id, when: { worker_id: "w" }, set: { lease_until } },
  ];
  const spent: Pair[] = [];
  for (let round = -3; round < rounds; round++) {
    let [ours, floor] = [0, 0];
    for (let index = 0; index < commits; index++) {
      const drafts = deltas(COMMIT, index * COMMIT);
      const append = { run_id, epoch: 1, drafts };
      const isFirst = index % 2 === 0;
      const plain = () => wall(() => log.append([append]));
      const full = () => wall(() => log.append([{ ...append, effects: renewal(index) }]));
      if (isFirst) floor += await plain();
      ours += await full();
      if (!isFirst) floor += await plain();
    }
    if (round >= 0) spent.push({ ours: ours / commits, floor: floor / commits });
  }
  await log.close();
  return spent;
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
