import type { Log, Piece, ReadAllQuery } from "../../log/log.ts";
import { isOver } from "../../log/records.ts";
import { createTimeFilter } from "./since.ts";

export interface FollowQuery extends ReadAllQuery {
  /** One run; all of them when absent. */
  run_id?: string;
  /** Ends once everything that is there was given; otherwise when the run is over, or never. */
  once?: boolean;
  /** Nothing that is older (epoch milliseconds); `after` says where to begin to look. */
  since?: number;
  signal?: AbortSignal;
}

/** What is in the log from a place on, then what comes. Holds nothing back and nothing in stock: the next page is read when this one is taken. */
export async function* follow(
  log: Log,
  { run_id, once = false, since, signal, ...query }: FollowQuery,
): AsyncIterable<Piece> {
  const newer = since === undefined ? undefined : createTimeFilter(since);
  let wake = Promise.withResolvers<void>();
  const stir = () => wake.resolve();
  const stop = log.watch(stir);
  // Whoever watches a log does not keep the process running by it; whoever follows one wants just that.
  const staying = setInterval(() => {}, LONG_MS);
  signal?.addEventListener("abort", stir);
  try {
    for (let after = query.after ?? -1; !signal?.aborted; ) {
      wake = Promise.withResolvers();
      // Asked before reading: a run that was over then has no event that this page cannot show.
      const run = run_id === undefined ? undefined : await log.run(run_id);
      const page = await (run_id === undefined
        ? log.readAll({ ...query, after })
        : log.read(run_id, { ...query, after }));
      for (const piece of page.pieces) {
        const kept = newer ? newer(piece) : piece;
        if (kept) yield kept;
      }
      after = page.next;
      if (page.more) continue;
      if (once || (run && isOver(run))) return;
      await wake.promise;
    }
  } finally {
    clearInterval(staying);
    stop();
    signal?.removeEventListener("abort", stir);
  }
}

const LONG_MS = 2 ** 31 - 1;
