import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { PIDS, type Plan } from "./plan.ts";

export interface Played {
  wasKilled: boolean;
  /** Memory of `spoor run` itself; 0 where the system does not report it. */
  peakMegabytes: number;
  failures: string[];
}

const bin = fileURLToPath(new URL("../../packages/spoor/bin/spoor.js", import.meta.url));
const program = fileURLToPath(new URL("../../packages/spoor/testing/cli/programs/hostile-claude.mjs", import.meta.url));

/** The longest time that a run with its limits may take on a busy machine. */
const PATIENCE_MS = 120_000;
/** A line of up to 32 MiB is read as a whole, which takes several times its size in memory. */
const MOST_MEGABYTES = 1_024;

/** Runs the command to its end, or kills it according to the plan. */
export async function playCase({ tricks, kill }: Plan, folder: string): Promise<Played> {
  const data = path.join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  // A short grace period keeps the campaign fast.
  writeFileSync(path.join(data, "config.json"), JSON.stringify({ gracePeriodMs: 200 }));
  const prompt = JSON.stringify({ do: tricks }).replaceAll(PIDS, path.join(folder, "pids"));
  const args = [
    "run",
    "claude",
    prompt,
    "--timeout",
    "2",
    "--cwd",
    folder,
    "--command",
    `"${process.execPath}" "${program}"`,
  ];
  const run = spawn(process.execPath, [bin, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, SPOOR_HOME: data },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(run, "close");
  const printed = once(run.stdout, "data").catch(() => {});
  run.stdout.resume();
  let stderr = "";
  run.stderr.setEncoding("utf8").on("data", (text) => {
    stderr = `${stderr}${text}`.slice(-2_000);
  });
  const memory = watchMemory(run.pid ?? 0);
  let wasKilled = false;
  if (kill) {
    if (kill.after === "output") await Promise.race([printed, ended]);
    await Promise.race([setTimeout(kill.ms), ended]);
    wasKilled = run.kill("SIGKILL");
  }
  const isOver = await Promise.race([ended.then(() => true), setTimeout(PATIENCE_MS, false, { ref: false })]);
  const peakMegabytes = memory.stop();
  const failures: string[] = [];
  if (!isOver) {
    run.kill("SIGKILL");
    failures.push(`The command did not end within ${PATIENCE_MS / 1000} s.`);
  }
  if (peakMegabytes > MOST_MEGABYTES) failures.push(`The command took ${peakMegabytes} MB of memory.`);
  if (!wasKilled && isOver && run.signalCode !== null)
    failures.push(`The command was killed by ${run.signalCode}: ${stderr}`);
  if (/\n\s+at .*:\d+:\d+/.test(stderr)) failures.push(`The command failed because of a bug in Spoor: ${stderr}`);
  return { wasKilled, peakMegabytes, failures };
}

function watchMemory(pid: number): { stop(): number } {
  let peak = 0;
  const look = (): void => {
    try {
      const kilobytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
      peak = Math.max(peak, Math.round(Number(kilobytes ?? 0) / 1024));
    } catch {
      // The process has ended, or this system does not report memory.
    }
  };
  const timer = setInterval(look, 50);
  return {
    stop() {
      clearInterval(timer);
      return peak;
    },
  };
}
