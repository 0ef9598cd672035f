import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { createStreamChecker } from "../../packages/protocol/src/index.ts";
import { readEnvelopes } from "../../packages/spoor/src/log/envelopes.ts";
import { openLogSync } from "../../packages/spoor/src/log/open.ts";
import { isOver } from "../../packages/spoor/src/log/records.ts";
import { readProcessTable } from "../../packages/spoor/src/process/process-table.ts";
import { createMarkCheck } from "../../packages/spoor/src/process/run-mark.ts";
import { reconcile } from "../../packages/spoor/src/runtime/reconcile.ts";
import type { Played } from "./play.ts";

export interface Verdict {
  runs: number;
  withoutEnd: number;
  survivors: number;
  lookedFor: number;
  failures: string[];
}

/** Recovers the log and checks for surviving processes, runs without an end, and streams that break the contract. */
export async function judgeCase({ wasKilled }: Played, folder: string): Promise<Verdict> {
  const failures: string[] = [];
  const pids = readPids(path.join(folder, "pids"));
  const log = openLogSync({ directory: path.join(folder, "data") });
  try {
    const survivorsBefore = await settled(pids, []);
    await reconcile(log);
    const { runs } = await log.runs();
    const marks = runs.map(({ run_id }) => run_id.replace(/^run_/, ""));
    const survivors = await settled(pids, marks);
    for (const pid of new Set([...survivorsBefore, ...survivors])) {
      failures.push(`The process ${pid} survived its run.`);
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // The process ended meanwhile.
      }
    }
    const unfinished = runs.filter((run) => !isOver(run));
    for (const { run_id, status } of unfinished) failures.push(`${run_id} is still ${status} after recovery.`);
    if (!wasKilled && runs.length === 0) failures.push("The command ended and recorded no run.");
    for (const { run_id, error_code } of runs) {
      if (error_code === "INTERNAL") failures.push(`${run_id} failed because of a bug in Spoor.`);
      const checker = createStreamChecker();
      const findings = [];
      for await (const envelope of readEnvelopes(log, { run_id })) findings.push(...checker.add(envelope));
      for (const { finding } of [...findings, ...checker.end()].slice(0, 3))
        failures.push(`${run_id}: ${finding.message}`);
    }
    return {
      ...{ runs: runs.length, withoutEnd: unfinished.length, lookedFor: pids.length, failures },
      survivors: new Set([...survivorsBefore, ...survivors]).size,
    };
  } finally {
    await log.close();
  }
}

function readPids(file: string): number[] {
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : [];
}

/** Returns the processes, listed or marked, that are still running after a while. */
async function settled(pids: readonly number[], marks: readonly string[]): Promise<number[]> {
  const checks = marks.map((mark) => createMarkCheck(mark));
  const left = (): number[] =>
    readProcessTable()
      .filter((row) => !row.isZombie && (pids.includes(row.pid) || checks.some((bears) => bears(row))))
      .map(({ pid }) => pid);
  for (const deadline = Date.now() + 15_000; left().length > 0 && Date.now() < deadline; ) await setTimeout(20);
  return left();
}
