import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** The system's letter for the state of a process: T for stopped, Z for zombie; undefined if unknown. */
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

/** Whether a process runs. A zombie does not run. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return ![undefined, "Z", "X"].includes(stateOf(pid));
}

/** Resolves when none of the processes runs. Fails after half a minute with those that still run. */
export async function allGone(pids: number[]): Promise<void> {
  if (pids.length === 0 || pids.some((pid) => !(pid > 1))) throw new Error(`Not valid pids: ${pids}`);
  await until(
    () => !pids.some(isRunning),
    () => `still running: ${pids.filter(isRunning)}`,
  );
}

/** Waits until a condition is true, at most half a minute. */
export async function until(condition: () => boolean, description = (): string => String(condition)): Promise<void> {
  for (const deadline = Date.now() + 30_000; !condition(); ) {
    if (Date.now() > deadline) throw new Error(`Timed out after 30 s: ${description()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
