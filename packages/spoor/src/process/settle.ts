import { setTimeout } from "node:timers/promises";
import type { Output } from "./output.ts";
import type { Tree } from "./tree.ts";

/**
 * Ends what a process left behind when it exited. Its descendants have until the deadline: first to close the pipes they
 * hold, for their output belongs to the process; then, asked by SIGTERM, to go. After that they are killed, and the
 * pipes are read empty and closed.
 */
export async function settle(tree: Tree, output: Output, lingerMs: number): Promise<void> {
  const deadline = performance.now() + lingerMs;
  await within(lingerMs, output.closed);
  if (tree.isAlive()) {
    tree.askToEnd();
    while (tree.isAlive() && performance.now() < deadline) await setTimeout(POLL_MS);
    tree.signalAll("SIGKILL");
  }
  await output.close();
}

async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  const { signal } = timer;
  await Promise.race([promise, setTimeout(ms, undefined, { signal }).catch(() => {})]);
  timer.abort();
}

const POLL_MS = 20;
