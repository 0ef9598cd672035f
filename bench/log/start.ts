// Measures how soon `spoor serve` answers and how much memory it uses.

import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { median } from "../measure.ts";
import { atMost } from "../table.ts";
import type { Usage } from "./child.ts";
import { group } from "./group.ts";

await group(async function* ({ quick, directory }) {
  const spoor = [file("../../packages/spoor/bin/spoor.js"), "serve", "--port", "0", "--json", "--data"];
  const rounds: { ours: Start; bare: Start }[] = [];
  // The first round fills the compile cache.
  for (let round = -1; round < (quick ? 1 : 9); round++) {
    const bare = await started([file("programs/bare-start.mjs")]);
    const ours = await started([...spoor, path.join(directory, "log")]);
    if (round >= 0) rounds.push({ ours, bare });
  }
  const row = (what: string, name: keyof Start, goal: { goal: number; aim: number }, unit: string, scale: number) => {
    const figure = (which: "ours" | "bare") => (median(rounds.map((round) => round[which][name])) * scale).toFixed(0);
    const ratio = median(rounds.map(({ ours, bare }) => ours[name] / bare[name]));
    return atMost(what, ratio, "bare node:http", goal, `${figure("ours")} against ${figure("bare")} ${unit}`);
  };
  yield* [
    row("spoor serve, start to first answer", "wall", { goal: 3, aim: 2 }, "ms", 1),
    row("spoor serve, processor time until then", "cpu", { goal: 3, aim: 2 }, "ms", 1e3),
    row("spoor serve, resident memory", "rss", { goal: 2, aim: 1.6 }, "MB", 1e-6),
  ];
});

interface Start extends Usage {
  /** Milliseconds. */
  wall: number;
}

async function started(args: readonly string[]): Promise<Start> {
  const begin = performance.now();
  const child = spawn(process.execPath, ["--import", file("programs/report.mjs"), ...args], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  let output = "";
  child.stdout?.setEncoding("utf8");
  for await (const text of child.stdout as AsyncIterable<string>) {
    output += text;
    if (output.includes("\n")) break;
  }
  const { url } = JSON.parse(output);
  await (await fetch(`${url}/healthz`)).text();
  const wall = performance.now() - begin;
  const { cpu } = await usage(child);
  await sleep(300);
  const { rss } = await usage(child);
  const ended = once(child, "exit");
  child.kill();
  await ended;
  return { wall, cpu, rss };
}

async function usage(child: ReturnType<typeof spawn>): Promise<Usage> {
  const answer = once(child, "message");
  child.send("usage");
  return (await answer)[0];
}

function file(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
