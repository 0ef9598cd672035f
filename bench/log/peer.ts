// Compares Spoor with the reference server of Durable Streams, which its authors call a server for development and
// testing: events posted one by one, and the cost of delivering them.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { atLeast } from "../table.ts";
import { type Child, cpuOf, start } from "./child.ts";
import { group, TOKEN } from "./group.ts";
import { type Pair, rates, speed } from "./pairs.ts";

const READERS = 20;
const body = (note: string) => JSON.stringify({ type: "acme.step", note, data: { text: "x".repeat(120) } });

await group(async function* ({ quick, directory }) {
  install();
  const [server, peer, reader] = await Promise.all([
    start("spoor-server", path.join(directory, "log"), TOKEN),
    start("peer-server", path.join(directory, "peer")),
    start("reader"),
  ]);
  const count = quick ? 20 : 1_000;
  const deliveries = quick ? 5 : 100;
  const posts: Pair[] = [];
  const sent: Pair[] = [];
  // The first rounds warm up both sides.
  for (let round = -2; round < (quick ? 1 : 7); round++) {
    const ours = `/v1/runs/${await server.ask<string>("fill", 0)}/events`;
    const theirs = `/stream-${round}`;
    await peer.ask("create", theirs);
    const post = {
      ours: await posted(server, reader, ours, count),
      floor: await posted(peer, reader, theirs, count),
    };
    const delivery = {
      ours: await delivered(server, reader, ours, ours, deliveries),
      floor: await delivered(peer, reader, theirs, `${theirs}?offset=now&live=sse`, deliveries),
    };
    if (round < 0) continue;
    posts.push(post);
    sent.push(delivery);
  }
  await Promise.all([server, peer, reader].map((child) => child.stop()));
  yield* [
    atLeast(
      "POST of single events",
      speed(posts),
      "durable-streams, file mode",
      { goal: 4, aim: 6 },
      rates(count, posts, "per CPU-second"),
    ),
    atLeast(
      `SSE to ${READERS} readers, posted one by one`,
      speed(sent),
      "durable-streams, file mode",
      { goal: 10, aim: 15 },
      rates(deliveries * READERS, sent, "deliveries per CPU-second"),
    ),
  ];
});

async function posted(server: Child, reader: Child, target: string, count: number): Promise<number> {
  const url = await server.ask<string>("url");
  const targets = Array.from({ length: count }, () => target);
  return cpuOf(server, () => reader.ask("load", url, targets, TOKEN, 8, body("")));
}

/** Posts events one after another; every reader receives each of them. */
async function delivered(server: Child, reader: Child, target: string, stream: string, count: number): Promise<number> {
  const url = await server.ask<string>("url");
  await reader.ask("open", url, stream, TOKEN, READERS, READERS);
  const cpu = await cpuOf(server, async () => {
    for (let post = 0; post < count; post++) {
      const note = `${target} ${post}`;
      const done = reader.ask("until", note);
      await reader.ask("load", url, [target], TOKEN, 1, body(note));
      await done;
    }
  });
  await reader.ask("close");
  return cpu;
}

function install(): void {
  const bench = fileURLToPath(new URL("..", import.meta.url));
  if (existsSync(path.join(bench, "node_modules/@durable-streams/server"))) return;
  console.error("Installing the peer into bench/node_modules …");
  // `npm ci` would refuse a lock file that lacks optional packages of other platforms.
  execFileSync("npm", ["install", "--no-save", "--no-audit", "--no-fund"], {
    cwd: bench,
    stdio: ["ignore", "ignore", "inherit"],
  });
}
