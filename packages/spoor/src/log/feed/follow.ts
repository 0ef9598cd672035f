import { LogError } from "../errors.ts";
import type { Log, Page, Piece, ReadQuery } from "../log.ts";
import { isOver } from "../records.ts";
import { createTimeFilter } from "./since.ts";

/** Selects events of a log. Without `run_id`, they are the events of all runs in the order in which they were committed. */
export interface EventQuery {
  run_id?: string;
  /** Only runs of this task. Ignored with `run_id`, as is `agent`. */
  task_id?: string;
  /** Only runs of this agent. */
  agent?: string;
  /** Start after this event: its sequence in the run, or its position in the log if no `run_id` is given. */
  after?: number;
  /** Leave out events that are older than this (epoch milliseconds). Give `after` as well to skip reading them. */
  since?: number;
  /** Only events of types for which this returns true. Pass the same function for the same filter: results are cached. */
  match?: (type: string) => boolean;
  /** Ends the iteration. */
  signal?: AbortSignal;
}

/**
 * Reads the stored events as bytes, one page at a time, and ends.
 *
 * @example
 * for await (const { bytes } of readPieces(log, { run_id })) process.stdout.write(bytes);
 */
export function readPieces(log: Log, { since, ...query }: EventQuery = {}): AsyncIterable<Piece> {
  return newerThan(since, storedPieces(log, query));
}

/**
 * Reads the stored events, then waits for new ones. It ends when the run is over or the log is closed; with no `run_id`, or
 * for a run that does not exist yet, it waits. The next page is read only when this one has been taken, so a slow reader holds no backlog.
 *
 * @example
 * for await (const { bytes } of followPieces(log, { run_id })) process.stdout.write(bytes);
 */
export function followPieces(log: Log, { since, ...query }: EventQuery = {}): AsyncIterable<Piece> {
  return newerThan(since, followedPieces(log, query));
}

type PieceQuery = Omit<EventQuery, "since">;

async function* followedPieces(log: Log, { run_id, signal, after = -1, ...query }: PieceQuery): AsyncGenerator<Piece> {
  const { closed } = log;
  if (closed.aborted) throw new LogError("closed", "The log was closed.");
  let changed = Promise.withResolvers<void>();
  const wake = () => changed.resolve();
  const stopWatching = log.watch(wake);
  // Watching a log does not keep the process alive, but a program that follows one should not exit.
  const keepAlive = setInterval(() => {}, LONG_MS);
  for (const end of [signal, closed]) end?.addEventListener("abort", wake);
  try {
    for (let cursor = after; !signal?.aborted && !closed.aborted; ) {
      changed = Promise.withResolvers();
      // Checked before reading: if the run is over now, the pages below hold all of its events.
      const run = run_id === undefined ? undefined : await log.run(run_id);
      if (run_id === undefined || run) {
        const from = { ...query, after: cursor, ...(run_id !== undefined && { run_id }), ...(signal && { signal }) };
        cursor = yield* storedPieces(log, from);
      }
      if (run && isOver(run)) return;
      await changed.promise;
    }
  } catch (error) {
    // Closed while a page was read.
    if (!closed.aborted) throw error;
  } finally {
    clearInterval(keepAlive);
    stopWatching();
    for (const end of [signal, closed]) end?.removeEventListener("abort", wake);
  }
}

/** Returns the cursor after the last page. */
async function* storedPieces(log: Log, query: PieceQuery): AsyncGenerator<Piece, number> {
  const { run_id, signal, after = -1, ...rest } = query;
  for (let cursor = after; ; ) {
    const page = await readPage(log, run_id, { ...rest, after: cursor });
    yield* page.pieces;
    cursor = page.next;
    if (!page.more || signal?.aborted) return cursor;
  }
}

const readPage = (log: Log, run_id: string | undefined, query: ReadQuery): Promise<Page> =>
  run_id === undefined ? log.readAll(query) : log.read(run_id, query);

async function* newerThan(since: number | undefined, pieces: AsyncIterable<Piece>): AsyncGenerator<Piece> {
  const isNewer = since === undefined ? undefined : createTimeFilter(since);
  for await (const piece of pieces) {
    const kept = isNewer ? isNewer(piece) : piece;
    if (kept) yield kept;
  }
}

const LONG_MS = 2 ** 31 - 1;
