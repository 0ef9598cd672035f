import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { installCommand } from "../scripts/bundle.ts";
import { median } from "./measure.ts";

export const fakeClaude = fileURLToPath(new URL("fake-claude.mjs", import.meta.url));

/**
 * Measures the wall time that `spoor run`, as published and with recording, adds to a program that runs this long.
 * The two sides alternate for several rounds.
 */
export async function runOverhead(seconds: number, rounds: number): Promise<Overhead> {
  const folder = mkdtempSync(path.join(tmpdir(), "spoor-bench-"));
  try {
    return await measured(await installCommand(path.join(folder, "spoor")), path.join(folder, "data"), seconds, rounds);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Overhead {
  ratio: number;
  addedMs: number;
}

async function measured(bin: string, data: string, seconds: number, rounds: number): Promise<Overhead> {
  const program = [fakeClaude, "0.1", `${seconds}`];
  const prompt = `${JSON.stringify({ type: "user", message: { role: "user", content: "hello" } })}\n`;
  const command = [process.execPath, ...program].map((word) => `"${word}"`).join(" ");
  const samples: Overhead[] = [];
  // The first round only fills caches.
  for (let round = -1; round < rounds; round++) {
    const bare = await wallTime(program, prompt);
    const ours = await wallTime([bin, "run", "claude", "hello", "--json", "--data", data, "--command", command], "");
    if (round >= 0) samples.push({ ratio: ours / bare, addedMs: ours - bare });
  }
  return {
    ratio: median(samples.map(({ ratio }) => ratio)),
    addedMs: median(samples.map(({ addedMs }) => addedMs)),
  };
}

async function wallTime(args: readonly string[], input: string): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(input);
  child.stdout.resume();
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${args.join(" ")} ended with code ${code}.`);
  return performance.now() - start;
}
