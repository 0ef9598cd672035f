// Measures stored events over HTTP against bare node:http that sends the same number of bytes.

import { createWriteStream } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { atLeast, times } from "../table.ts";
import { cpuOf, start } from "./child.ts";
import { group, TOKEN } from "./group.ts";
import { type Pair, rates, speed } from "./pairs.ts";

const NDJSON = "application/x-ndjson";
const pagesEach = (quick: boolean): number => (quick ? 20 : 1_500);

await group(async function* ({ quick, directory }) {
  const events = quick ? 5_000 : 1_000_000;
  const [server, bare, reader] = await Promise.all([
    start("spoor-server", path.join(directory, "log"), TOKEN),
    start("bare-server"),
    start("reader"),
  ]);
  const [url, bareUrl] = await Promise.all([server.ask<string>("url"), bare.ask<string>("url")]);
  const run = `/v1/runs/${await server.ask<string>("fill", events)}/events`;
  const fetched = (target: string, accept: string) =>
    fetch(url + target, { headers: { authorization: `Bearer ${TOKEN}`, accept } });

  const file = path.join(directory, "events.ndjson");
  const { body } = await fetched(run, NDJSON);
  await pipeline(Readable.fromWeb(body as never), createWriteStream(file));
  await bare.ask("serveFile", file);
  const replays: Pair[] = [];
  for (let round = 0; round < (quick ? 1 : 5); round++) {
    const ours = await cpuOf(server, () => reader.ask("get", url, run, TOKEN, NDJSON));
    const floor = await cpuOf(bare, () => reader.ask("get", bareUrl, "/file", TOKEN, NDJSON));
    replays.push({ ours, floor });
  }
  yield atLeast(
    `replay of ${events.toLocaleString("en")} events as NDJSON`,
    speed(replays),
    "node:http streaming a file",
    { goal: 0.6, aim: 0.9 },
    rates(events, replays, "events per CPU-second"),
  );

  const page = (after: number) => `${run}?limit=500&after_sequence=${after}`;
  await bare.ask("hold", (await (await fetched(page(99), "application/json")).arrayBuffer()).byteLength);
  /** Requests pages at random places among the newest events from our server, and equally many from the floor. */
  const pagesOf = async (among: number): Promise<Pair[]> => {
    const pages: Pair[] = [];
    // The first rounds warm up both sides.
    for (let round = -4; round < (quick ? 1 : 9); round++) {
      const places = Array.from(
        { length: pagesEach(quick) },
        (_, index) => ((index + round + 4) * 7_919) % (among - 501),
      );
      const load = (target: string, paths: string[]) => reader.ask("load", target, paths, TOKEN, 4);
      const ours = await cpuOf(server, () =>
        load(
          url,
          places.map((place) => page(events - among + place)),
        ),
      );
      const floor = await cpuOf(bare, () =>
        load(
          bareUrl,
          places.map(() => "/buffer"),
        ),
      );
      if (round >= 0) pages.push({ ours, floor });
    }
    return pages;
  };
  const last = quick ? 2_000 : 20_000;
  const newest = await pagesOf(last);
  const any = await pagesOf(events);
  await Promise.all([server, bare, reader].map((child) => child.stop()));
  yield atLeast(
    "GET of 500 events",
    speed(newest),
    "node:http sending a ready buffer",
    { goal: 0.35, aim: 0.6 },
    `${rates(pagesEach(quick), newest, "per CPU-second")}; of the newest ${last.toLocaleString("en")}. From anywhere ${times(speed(any))}`,
  );
});
