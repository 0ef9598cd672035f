import type { Piece } from "../log.ts";
import type { Publisher } from "../publisher.ts";
import { lastOf } from "../ranges.ts";
import type { Reader } from "./read/reader.ts";

/**
 * Publishes what other processes committed. SQLite does not notify anyone of another process's commit, so the database
 * is polled while anyone listens.
 */
export function createCatchUp(publisher: Publisher, reader: Reader, pollMs: number) {
  let poll: NodeJS.Timeout | undefined;

  /** Publishes everything up to a position; without one, everything that is committed. */
  function catchUp(position?: number): void {
    try {
      const upTo = position ?? reader.lastPosition();
      while (publisher.lastPosition < upTo) {
        const after = publisher.lastPosition;
        const { pieces, next } = reader.readAll({ after, limit: upTo - after });
        for (const piece of pieces) if (lastOf(piece.positions) <= upTo) publisher.publish(piece);
        publisher.lastPosition = Math.min(next, upTo);
      }
    } catch {
      // The log is damaged. Skipping leaves a hole in the recent pieces, so feeds read the store, which reports the damage.
      if (position !== undefined) publisher.lastPosition = position;
    }
  }

  return {
    upTo: (position: number): void => catchUp(position),
    watch(listener: (piece: Piece) => void): () => void {
      catchUp();
      const unwatch = publisher.watch(listener);
      poll ??= setInterval(() => catchUp(), pollMs).unref();
      return () => {
        unwatch();
        if (publisher.hasListeners) return;
        clearInterval(poll);
        poll = undefined;
      };
    },
    close(): void {
      clearInterval(poll);
    },
  };
}
