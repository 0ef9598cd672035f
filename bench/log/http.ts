// Stored events over HTTP, beside bare node:http sending as many bytes.

import { createWriteStream } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { atLeast } from "../table.ts";
import { cpuOf, start } from "./child.ts";
import { group, TOKEN } from "./group.ts";
import { type Pair, rates, speed } from "./pairs.ts";

const NDJSON = "application/x-ndjson";

await group(async ({ quick, directory }) => {
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

  const page = (after: number) => `${run}?limit=500&after_sequence=${after}`;
  await bare.ask("hold", (await (await fetched(page(99), "application/json")).arrayBuffer()).byteLength);
  const pages: Pair[] = [];
  const count = quick ? 20 : 1_500;
  for (let round = -1; round < (quick ? 1 : 7); round++) {
    const targets = Array.from({ length: count }, (_, index) => page(((index + round + 1) * 7_919) % (events - 501)));
    const ours = await cpuOf(server, () => reader.ask("load", url, targets, TOKEN, 4));
    const floor = await cpuOf(bare, () =>
      reader.ask(
        "load",
        bareUrl,
        targets.map(() => "/buffer"),
        TOKEN,
        4,
      ),
    );
    if (round >= 0) pages.push({ ours, floor });
  }
  await Promise.all([server, bare, reader].map((child) => child.stop()));
  return [
    atLeast(
      `replay of ${events.toLocaleString("en")} events as NDJSON`,
      speed(replays),
      "node:http streaming a file",
      { goal: 0.6, aim: 0.9 },
      rates(events, replays, "events per CPU-second"),
    ),
    atLeast(
      "GET of 500 events",
      speed(pages),
      "node:http sending a ready buffer",
      { goal: 0.35, aim: 0.6 },
      rates(count, pages, "per CPU-second"),
    ),
  ];
});
