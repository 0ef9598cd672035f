import type { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";

/** What was typed before is read within this time. */
const READ_MS = 20;

/**
 * Drops what was typed before a question is shown. Otherwise an answer to a question that somebody else has answered in the
 * meantime would count for the next one, which nobody has read.
 */
export async function dropTyped(stdin: Readable): Promise<void> {
  const drop = (): void => {};
  stdin.on("data", drop);
  await setTimeout(READ_MS);
  stdin.off("data", drop);
  stdin.pause();
}
