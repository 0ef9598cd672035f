import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** The letter the system has for what a process does: T for stopped, Z for dead and not yet buried; none if unknown. */
export function stateOf(pid: number | undefined): string | undefined {
  if (process.platform !== "linux") {
    return spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim()[0];
  }
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8").match(/^State:\s+(\w)/m)?.[1];
  } catch {
    return undefined;
  }
}

/** Whether a process runs. Burying it is up to its parent: one that is only dead does not run. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return ![undefined, "Z", "X"].includes(stateOf(pid));
}

/** Resolves when none of them runs; fails with those that still do after a long while. */
export async function allGone(pids: number[]): Promise<void> {
  if (pids.length === 0 || pids.some((pid) => !(pid > 1))) throw new Error(`These are no pids: ${pids}`);
  await until(
    () => !pids.some(isRunning),
    () => `still running: ${pids.filter(isRunning)}`,
  );
}

/** Waits for a condition, not for a time. */
export async function until(condition: () => boolean, complaint = (): string => String(condition)): Promise<void> {
  for (const deadline = Date.now() + 10_000; !condition(); ) {
    if (Date.now() > deadline) throw new Error(`Waited in vain: ${complaint()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
