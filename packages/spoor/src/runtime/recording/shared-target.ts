import type { CommandListener } from "../../log/watch-commands.ts";
import type { RecordingTarget } from "./target.ts";

/**
 * Shares one target among the runs of a client: the first run opens it, the last one closes it. Writes wait until the target
 * is open, and fail if it cannot be opened; the next run tries to open it again.
 */
export function shareTarget(open: () => Promise<RecordingTarget>, directory?: string): () => RecordingTarget {
  let shared: { opening: Promise<RecordingTarget>; users: number } | undefined;
  return () => {
    shared ??= { opening: open(), users: 0 };
    const own = shared;
    own.users += 1;
    const { opening } = own;
    opening.catch(() => {
      if (shared === own) shared = undefined;
    });
    return {
      directory,
      log: {
        append: async (batch) => (await opening).log.append(batch),
        runs: async (query) => (await opening).log.runs(query),
        tapes: { append: async (...lines) => (await opening).log.tapes.append(...lines) },
        rows: {
          find: async (table, key) => (await opening).log.rows.find(table, key),
          list: async (table, query) => (await opening).log.rows.list(table, query),
          write: async (...effects) => (await opening).log.rows.write(...effects),
        },
        queue: {
          extend: async (...lease) => (await opening).log.queue.extend(...lease),
          release: async (...lease) => (await opening).log.queue.release(...lease),
        },
        watchCommands: (run_id, listener) => watchWhenOpen(opening, run_id, listener),
      },
      readLines: async (run_id, after) => (await opening).readLines(run_id, after),
      tidy: async () => (await opening).tidy(),
      async close() {
        own.users -= 1;
        if (own.users > 0) return;
        if (shared === own) shared = undefined;
        const target = await opening.catch(() => undefined);
        await target?.close();
      },
    };
  };
}

/** Watches as soon as the target is open. A target that cannot be opened has no commands. */
function watchWhenOpen(opening: Promise<RecordingTarget>, run_id: string, listener: CommandListener): () => void {
  let unwatch: (() => void) | undefined;
  let isWatching = true;
  opening.then(
    ({ log }) => {
      if (isWatching) unwatch = log.watchCommands(run_id, listener);
    },
    () => {},
  );
  return () => {
    isWatching = false;
    unwatch?.();
  };
}
