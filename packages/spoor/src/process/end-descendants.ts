import { setTimeout } from "node:timers/promises";
import type { Output } from "./process-output.ts";
import type { Tree } from "./process-tree.ts";

/**
 * Ends the descendants that a process left behind when it exited. Until the deadline they may close the pipes they hold,
 * because their output belongs to the process; then they receive SIGTERM. At the deadline they are killed, and the pipes are
 * read to the end and closed.
 */
export async function endDescendants(tree: Tree, output: Output, lingerMs: number): Promise<void> {
  const deadline = performance.now() + lingerMs;
  if (output.isFromFiles) await untilGone(tree, deadline - lingerMs / 2);
  else await within(lingerMs, output.closed);
  if (tree.isAlive()) {
    tree.terminateRest();
    await untilGone(tree, deadline);
    tree.signalAll("SIGKILL");
  }
  await output.close();
}

async function untilGone(tree: Tree, deadline: number): Promise<void> {
  while (tree.isAlive() && performance.now() < deadline) await setTimeout(POLL_MS);
}

async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  const { signal } = timer;
  await Promise.race([promise, setTimeout(ms, undefined, { signal }).catch(() => {})]);
  timer.abort();
}

const POLL_MS = 20;
