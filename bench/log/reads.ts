// Measures reads: what a filter saves, whether a large log is slower than a small one, and the size of a log on disk.

import { closeSync, openSync, readdirSync, readSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Log } from "../../packages/spoor/src/log/log.ts";
import { openLogSync } from "../../packages/spoor/src/log/open.ts";
import { countOf } from "../../packages/spoor/src/log/ranges.ts";
import { percentiles } from "../measure.ts";
import { atLeast, atMost } from "../table.ts";
import { deltas, fillRun, newRunId } from "./events.ts";
import { group } from "./group.ts";
import { type Pair, rates, speed } from "./pairs.ts";

const RARE = 10_000;

await group(async function* ({ quick, directory }) {
  const place = (name: string) => path.join(directory, name);
  const filtered = await filteredRead(place("filtered"), quick ? 2 * RARE : 30 * RARE, quick ? 2 : 15);
  yield atLeast(
    `a filtered read, 1 match in ${RARE.toLocaleString("en")} events`,
    speed(filtered),
    "the same bytes read, line by line",
    { goal: 20, aim: 50 },
    rates(1, filtered, "reads of it all per CPU-second"),
  );
  const [opened, paged] = await bySize(place, quick ? [20, 300] : [200, 2_500], quick ? 2 : 30);
  yield atMost(
    "opening a run",
    1 / speed(opened),
    "in a log 100 times smaller",
    { goal: 1.2, aim: 1 },
    perEach(opened),
  );
  yield atMost(
    "a page of 100 from the middle of a run",
    1 / speed(paged),
    "in a log 100 times smaller",
    { goal: 1.2, aim: 1 },
    perEach(paged),
  );
  const plain = await weight(place("plain"), quick ? 2 : 20, quick ? 300 : 2_500, false);
  yield atMost("disk", plain.ratio, "the events as JSON lines", { goal: 1.05 }, plain.on);
  const cold = await weight(place("cold"), quick ? 2 : 60, quick ? 300 : 2_500, true);
  yield atMost(
    "disk, ended runs compressed as they end",
    cold.ratio,
    "the events as JSON lines",
    { goal: 1.05, aim: 0.35 },
    cold.on,
  );
});

async function filteredRead(directory: string, events: number, rounds: number): Promise<Pair[]> {
  const log = openLogSync({ directory });
  const run_id = newRunId();
  await log.append([{ run_id, create: { agent: "claude", kind: "agent" }, drafts: [] }]);
  const lines: string[] = [];
  log.watch(({ bytes }) => lines.push(bytes.toString()));
  for (let start = 0; start < events; start += 250) {
    const drafts = deltas(250, start);
    if (start % RARE === RARE / 2) drafts[0] = { type: "acme.deployed", timestamp: Date.now(), json: "{}" };
    await log.append([{ run_id, epoch: 1, drafts }]);
  }
  const file = path.join(directory, "lines");
  writeFileSync(file, lines.join(""));
  const isRare = (type: string) => type === "acme.deployed";
  const found: Pair[] = [];
  for (let round = -2; round < rounds; round++) {
    const floor = await cpu(() => expect(events / RARE, linesWith(file, '"type":"acme.deployed"')));
    const ours = await cpu(async () => {
      const { pieces } = await log.read(run_id, { match: isRare });
      expect(events / RARE, pieces.length);
    });
    if (round >= 0) found.push({ ours, floor });
  }
  await log.close();
  return found;
}

function linesWith(file: string, text: string): number {
  const from = openSync(file, "r");
  const chunk = Buffer.alloc(64 * 1024);
  let rest = "";
  let found = 0;
  for (let length = readSync(from, chunk); length > 0; length = readSync(from, chunk)) {
    const lines = (rest + chunk.toString("utf8", 0, length)).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.includes(text)) found += 1;
  }
  closeSync(from);
  return found;
}

/**
 * Reads the first page of runs and one from the middle, in a large and in a small log. Each round reads the same few runs
 * repeatedly, and in the large log each round uses other runs. This compares finding runs among many, and not a
 * processor cache that holds a whole small log.
 */
async function bySize(place: (name: string) => string, [runs, events]: [number, number], rounds: number) {
  const large = await filled(place("large"), runs, events);
  const small = await filled(place("small"), Math.max(runs / 100, 1), events);
  const few = small.ids.length;
  const turn = async ({ log, ids }: Filled, after: number, limit: number, round: number) => {
    const open = async (each: number) => {
      const id = ids[(round * few + (each % few)) % ids.length] as string;
      if (after === -1) await log.run(id);
      let events = 0;
      // Nothing keeps the pages, as in a real listing; kept pages would add garbage collection to a random turn.
      await log.read(id, { after, limit, each: ({ sequences }) => (events += countOf(sequences)) });
      expect(limit, events);
    };
    for (let each = 0; each < few; each++) await open(each);
    return cpu(async () => {
      for (let each = 0; each < 200; each++) await open(each);
    });
  };
  const found: [Pair[], Pair[]] = [[], []];
  for (let round = 0; round < rounds + 2; round++) {
    for (const [index, after] of [-1, Math.floor(events / 2)].entries()) {
      const limit = index === 0 ? 50 : 100;
      // The two sides take turns at going first, because the second one pays for garbage that the first one left.
      const early = round % 2 === 0 ? await turn(large, after, limit, round) : undefined;
      const floor = await turn(small, after, limit, round);
      const ours = early ?? (await turn(large, after, limit, round));
      if (round >= 2) found[index]?.push({ ours: ours / 200, floor: floor / 200 });
    }
  }
  await Promise.all([large.log.close(), small.log.close()]);
  return found;
}

interface Filled {
  log: Log;
  ids: string[];
}

/** Reopens the log after filling it; otherwise a small log would be read from the write-ahead log in memory. */
async function filled(directory: string, runs: number, events: number): Promise<Filled> {
  const log = openLogSync({ directory });
  const ids: string[] = [];
  for (let run = 0; run < runs; run++) ids.push(await fillRun(log, events));
  await log.close();
  return { log: openLogSync({ directory }), ids };
}

/** Returns the size of a log's files after a number of runs, optionally compressing each run when it ends. */
async function weight(directory: string, runs: number, events: number, isCold: boolean) {
  const log = openLogSync({ directory });
  let lines = 0;
  log.watch(({ bytes }) => {
    lines += bytes.length;
  });
  for (let run = 0; run < runs; run++) {
    const run_id = await fillRun(log, events, 100);
    await log.append([{ run_id, epoch: 1, drafts: [], facts: { ended_at: 1 } }]);
    if (isCold) await log.upkeep.merge({ run_id, coldBefore: 2 });
  }
  await log.close();
  const bytes = readdirSync(directory).reduce((sum, name) => sum + statSync(path.join(directory, name)).size, 0);
  return { ratio: bytes / lines, on: `${megabytes(bytes)} against ${megabytes(lines)} MB` };
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function perEach(pairs: readonly Pair[]): string {
  const micro = (which: keyof Pair) => (percentiles(pairs.map((pair) => pair[which])).p50 * 1e6).toFixed(0);
  return `${micro("ours")} against ${micro("floor")} µs`;
}

/** Fails on a wrong answer, because its timing would mean nothing. */
function expect(wanted: number, found: number): void {
  if (wanted !== found) throw new Error(`The read returned ${found} events instead of ${wanted}.`);
}

async function cpu(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
