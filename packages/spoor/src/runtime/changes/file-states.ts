import type { FileChange } from "../workspace/snapshot.ts";
import { type FileState, isSame } from "./named-files.ts";

/** The change of a file between two states. */
export function changeOf(file: string, before: FileState, after: FileState, isFinal?: true): FileChange {
  const isLarge = [before, after].some((state) => state !== "absent" && !state.bytes);
  return {
    path: file,
    ...(before !== "absent" && { before }),
    ...(after !== "absent" && { after }),
    ...((isFinal || isLarge) && { isFinal: true }),
  };
}

/**
 * What a file was before a call: what was read while the agent waited; else what the events say; else what was read when the
 * call was reported, which may have been too late.
 */
export function beforeOf(
  known: FileState | "unknown",
  direct: FileState | undefined,
  after: FileState,
  isHeld: boolean,
): FileState | undefined {
  if (known === "unknown" || (isHeld && direct)) return direct;
  // A first snapshot that came too late has seen the change already.
  return direct && isSame(known, after) ? direct : known;
}
