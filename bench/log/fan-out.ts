// Sends the same events to a hundred readers: deliveries per second of processor time, and latency.

import path from "node:path";
import { median, percentiles } from "../measure.ts";
import { atLeast, atMost } from "../table.ts";
import { type Child, cpuOf, start } from "./child.ts";
import { group, TOKEN } from "./group.ts";
import { type Pair, rates, speed } from "./pairs.ts";

const READERS = 100;
const BATCH = 64;
const PER_SECOND = 1_000;

await group(async function* ({ quick, directory }) {
  const [server, bare] = await Promise.all([
    start("spoor-server", path.join(directory, "log"), TOKEN),
    start("bare-server"),
  ]);
  const fast = await inTurn(server, bare, quick ? 1 : 15, "append", quick ? [640, BATCH] : [19_200, BATCH]);
  const alone = await appendOnly(server, quick ? [640, BATCH] : [19_200, BATCH]);
  const paced = await inTurn(server, bare, quick ? 1 : 9, "pace", [quick ? 0.3 : 2, PER_SECOND]);
  await Promise.all([server, bare].map((child) => child.stop()));

  const cpu: Pair[] = fast.map(({ ours, floor }) => ({ ours: ours.cpu, floor: floor.cpu }));
  const late = (which: "p50" | "p99") => ({
    ratio: median(paced.map(({ ours, floor }) => ours[which] / floor[which])),
    on: (["ours", "floor"] as const)
      .map((one) => `${(median(paced.map((round) => round[one][which])) / 1e3).toFixed(2)} ms`)
      .join(" against "),
  });
  const what = `from append to ${READERS} readers, ${PER_SECOND.toLocaleString("en")} events/s`;
  yield* [
    atLeast(
      `SSE to ${READERS} readers`,
      speed(cpu),
      `node:http, a shared buffer of ${BATCH} frames`,
      { goal: 1, aim: 1.5 },
      `${rates(READERS * (quick ? 641 : 19_201), cpu, "deliveries per CPU-second")}; ${share(alone, cpu)} of ours is the append`,
    ),
    ...(["p50", "p99"] as const).map((which) =>
      atMost(
        `${what}, ${which}`,
        late(which).ratio,
        "node:http, a write for each",
        { goal: 1.5, aim: 1 },
        late(which).on,
      ),
    ),
  ];
});

/** Measures the cost of storing the events without any reader. */
async function appendOnly(server: Child, args: number[]): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < 3; round++) {
    const run = await server.ask<string>("fill", 0);
    rounds.push(await cpuOf(server, () => server.ask("append", run, ...args, "")));
  }
  return median(rounds);
}

function share(part: number, cpu: readonly Pair[]): string {
  return `${((100 * part) / median(cpu.map(({ ours }) => ours))).toFixed(0)}%`;
}

interface Round {
  cpu: number;
  p50: number;
  p99: number;
}

async function inTurn(server: Child, bare: Child, rounds: number, command: string, args: number[]) {
  const reader = await start("reader");
  const found: { ours: Round; floor: Round }[] = [];
  // The first rounds warm up both sides.
  for (let round = -3; round < rounds; round++) {
    const run = await server.ask<string>("fill", 0);
    const serve = () => measured(server, reader, `/v1/runs/${run}/events`, [run, ...args], `ours ${round}`, command);
    // The two sides take turns at going first, because the second one pays for garbage that the first one left.
    const early = round % 2 === 0 ? await serve() : undefined;
    const floor = await measured(bare, reader, "/sse", ["", ...args], `floor ${round}`, command);
    const ours = early ?? (await serve());
    if (round >= 0) found.push({ ours, floor });
  }
  await reader.stop();
  return found;
}

async function measured(
  server: Child,
  reader: Child,
  target: string,
  args: unknown[],
  note: string,
  command: string,
): Promise<Round> {
  // Recording latencies costs time, so only one reader records them when the caller did not ask for them.
  const sampled = command === "pace" ? 10 : READERS;
  await reader.ask("open", await server.ask<string>("url"), target, TOKEN, READERS, sampled);
  await reader.ask("latencies");
  const cpu = await cpuOf(server, async () => {
    const done = reader.ask("until", note);
    await server.ask(command, ...args, note);
    await done;
  });
  const ages = await reader.ask<number[]>("latencies");
  await reader.ask("close");
  return { cpu, ...percentiles(ages) };
}
