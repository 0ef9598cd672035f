import { spawnSync } from "node:child_process";
import path from "node:path";
import type { Tree } from "./process-tree.ts";

/**
 * Windows knows no groups and no polite signal for a program without a window: a tree can be ended, through the parent
 * it hangs on, and that is all. What outlives its parent is out of reach.
 */
export function createWindowsTree(root: number): Tree {
  const taskkill = path.win32.join(process.env.SystemRoot ?? "C:\\Windows", "System32", "taskkill.exe");
  const signal = (name: NodeJS.Signals): boolean => {
    if (name !== "SIGTERM" && name !== "SIGKILL") return false;
    return spawnSync(taskkill, ["/pid", String(root), "/t", "/f"], { windowsHide: true }).status === 0;
  };
  return { signalGroup: signal, signalAll: signal, askToEnd() {}, isAlive: () => false };
}
