import { setImmediate as nextTurn } from "node:timers/promises";
import { envelopesIn } from "../../../log/envelopes.ts";
import type { Log } from "../../../log/log.ts";
import { at } from "../../../log/ranges.ts";
import { createOtelFold, type FoldedRun } from "../trace.ts";

/** The end of a run, at a position of the log. */
export interface EndedRun {
  readonly run_id: string;
  readonly position: number;
}

export interface EndedRuns {
  readonly ended: readonly EndedRun[];
  /** The position up to which was looked. */
  readonly next: number;
  readonly more: boolean;
}

const endings: ReadonlySet<string> = new Set(["run.finished", "run.failed", "run.cancelled"]);
export const isEnding = (type: string): boolean => endings.has(type);

/** Finds the runs that ended after a position. The log knows the types of its rows, so it reads only those with an end. */
export async function endedAfter(log: Log, after: number, limit = 64): Promise<EndedRuns> {
  const { pieces, next, more } = await log.readAll({ after, match: isEnding, limit });
  const ended = pieces.flatMap(({ positions, ...piece }) =>
    envelopesIn({ ...piece, positions })
      .map(({ run_id, type }, index) => ({ run_id, type, position: at(positions, index) }))
      .filter(({ type }) => isEnding(type)),
  );
  return { ended, next, more };
}

/** Neither spans nor metrics need pieces of texts and outputs, of which long runs mostly consist. */
const isNeeded = (type: string): boolean => !/^assistant\..*_delta$|^tool\.shell\.output_chunk$/.test(type);
const PAGE_BYTES = 128 * 1024;

/**
 * Reads a run one small page at a time, so that others are served in between. Undefined if nothing of it is stored, or if
 * `signal` ended the reading.
 */
export async function readRun(log: Log, run_id: string, signal?: AbortSignal): Promise<FoldedRun | undefined> {
  const run = createOtelFold();
  for (let after = -1, more = true; more; ) {
    const page = await log.read(run_id, { after, match: isNeeded, maxBytes: PAGE_BYTES });
    for (const piece of page.pieces) for (const envelope of envelopesIn(piece)) run.fold(envelope);
    ({ next: after, more } = page);
    await nextTurn();
    if (signal?.aborted) return undefined;
  }
  return run.folded();
}
