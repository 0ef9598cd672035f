// Measures the memory of a server with a thousand readers that never read, and the latency of ten other readers.

import path from "node:path";
import { median, percentiles } from "../measure.ts";
import { atMost } from "../table.ts";
import { start, type Usage } from "./child.ts";
import { group, TOKEN } from "./group.ts";

const LIVE = 10;
const PER_SECOND = 5_000;
const SECONDS = 2;
/** The kernel buffers a few megabytes for a reader that never reads, and less than this. */
const FILL = 25_000;

await group(async function* ({ quick, events, directory }) {
  const stalled = quick ? 50 : 1_000;
  const rounds = quick ? 1 : Math.ceil(events / PER_SECOND / SECONDS);
  const [without, beside] = await Promise.all([
    served(path.join(directory, "without"), 0),
    served(path.join(directory, "with"), stalled),
  ]);
  await without.fill(quick ? 500 : FILL);
  await beside.fill(quick ? 500 : FILL);
  const before = await beside.held();
  const pairs: Record<"without" | "beside", ReturnType<typeof percentiles>>[] = [];
  // The first round warms up both sides.
  for (let round = -1; round < rounds; round++) {
    const pair = { without: await without.round(quick), beside: await beside.round(quick) };
    if (round >= 0) pairs.push(pair);
  }
  const after = await beside.held();
  const [alone, crowded] = [await without.stop(), await beside.stop()];
  const crowd = `${stalled.toLocaleString("en")} stalled readers`;
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
  yield* [
    atMost(
      `memory with ${crowd}, ${(rounds * PER_SECOND * SECONDS).toLocaleString("en")} events later`,
      after / before,
      "memory right after they stalled",
      { goal: 1.3, aim: 1 },
      `${megabytes(after)} against ${megabytes(before)}; resident at most ${megabytes(crowded)}, without them ${megabytes(alone)}`,
    ),
    ...(["p50", "p99"] as const).map((which) =>
      atMost(
        `${which} of ${LIVE} live readers at the same time`,
        median(pairs.map(({ beside }) => beside[which])) / median(pairs.map(({ without }) => without[which])),
        "without them",
        { goal: which === "p50" ? 1.3 : 1.5, aim: 1 },
        (["beside", "without"] as const)
          .map((one) => `${(median(pairs.map((pair) => pair[one][which])) / 1e3).toFixed(2)} ms`)
          .join(" against "),
      ),
    ),
  ];
});

async function served(directory: string, stalled: number) {
  const [server, reader, sleeper] = await Promise.all([
    start("spoor-server", directory, TOKEN),
    start("reader"),
    start("reader"),
  ]);
  const url = await server.ask<string>("url");
  const run = await server.ask<string>("fill", 0);
  const target = `/v1/runs/${run}/events`;
  await reader.ask("open", url, target, TOKEN, LIVE, 1);
  await sleeper.ask("stall", url, target, TOKEN, stalled);
  let rss = 0;
  let sent = 0;
  /** Resolves when the live readers have received all events. */
  const arrived = async (command: string, ...args: unknown[]) => {
    const last = `last ${++sent}`;
    const done = reader.ask("until", last);
    await server.ask(command, run, ...args, last);
    await done;
    rss = Math.max(rss, (await server.ask<Usage>("usage")).rss);
  };
  return {
    fill: (events: number) => arrived("append", events, 50),
    /** Latencies of events in microseconds. */
    async round(quick: boolean) {
      await reader.ask("latencies");
      await arrived("pace", quick ? 0.2 : SECONDS, PER_SECOND);
      return percentiles(await reader.ask<number[]>("latencies"));
    },
    held: () => server.ask<number>("held"),
    /** Returns the peak of resident memory. */
    async stop(): Promise<number> {
      await Promise.all([server, reader, sleeper].map((child) => child.stop()));
      return rss;
    },
  };
}
