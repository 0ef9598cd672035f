// A thousand readers that read nothing, beside ten that do: what the server holds for them, and whether the ten notice.

import path from "node:path";
import { percentiles } from "../measure.ts";
import { atMost } from "../table.ts";
import { start, type Usage } from "./child.ts";
import { group, TOKEN } from "./group.ts";

const LIVE = 10;
const PER_SECOND = 5_000;

await group(async ({ quick, events, directory }) => {
  const count = quick ? 1_000 : events;
  const stalled = quick ? 50 : 1_000;
  const without = await served(path.join(directory, "without"), 0, count);
  const beside = await served(path.join(directory, "with"), stalled, count);
  const crowd = `${stalled.toLocaleString("en")} stalled readers, ${count.toLocaleString("en")} events`;
  const megabytes = ({ rss }: { rss: number }) => `${(rss / 1e6).toFixed(0)} MB`;
  const late = ({ p50, p99 }: { p50: number; p99: number }) =>
    `${(p50 / 1e3).toFixed(2)} / ${(p99 / 1e3).toFixed(1)} ms`;
  return [
    // A connection of its own costs each of them some 30 KB; what must not happen is a queue for each.
    atMost(
      `resident memory with ${crowd}`,
      beside.rss / without.rss,
      "without the stalled",
      { goal: 1.3 },
      `${megabytes(beside)} against ${megabytes(without)}`,
    ),
    atMost(
      `p50 of ${LIVE} live readers beside them`,
      beside.p50 / without.p50,
      "without the stalled",
      { goal: 1.3 },
      `p50 / p99 ${late(beside)} against ${late(without)}`,
    ),
  ];
});

/** The most a server held while the events went through it, and their ages in microseconds. */
async function served(directory: string, stalled: number, events: number) {
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
  const watch = setInterval(async () => {
    rss = Math.max(rss, (await server.ask<Usage>("usage")).rss);
  }, 100);
  const done = reader.ask("until", "last");
  await server.ask("pace", run, events / PER_SECOND, PER_SECOND, "last");
  await done;
  rss = Math.max(rss, (await server.ask<Usage>("usage")).rss);
  clearInterval(watch);
  const ages = await reader.ask<number[]>("latencies");
  await Promise.all([server, reader, sleeper].map((child) => child.stop()));
  return { rss, ...percentiles(ages) };
}
