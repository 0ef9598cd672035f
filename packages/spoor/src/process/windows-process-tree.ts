import { spawnSync } from "node:child_process";
import path from "node:path";
import type { Tree } from "./process-tree.ts";

/**
 * Windows has no process groups and no signal that asks a program without a window to exit, so a tree can only be killed,
 * through its root. A process that outlives its parent cannot be found.
 */
export function createWindowsTree(root: number): Tree {
  const taskkill = path.win32.join(process.env.SystemRoot ?? "C:\\Windows", "System32", "taskkill.exe");
  const signal = (name: NodeJS.Signals): boolean => {
    if (name !== "SIGTERM" && name !== "SIGKILL") return false;
    return spawnSync(taskkill, ["/pid", String(root), "/t", "/f"], { windowsHide: true }).status === 0;
  };
  return { signalGroup: signal, signalAll: signal, terminateRest() {}, isAlive: () => false };
}
