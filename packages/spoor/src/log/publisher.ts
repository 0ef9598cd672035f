import type { Piece } from "./log.ts";
import { RecentPieces } from "./pieces/recent.ts";
import { lastOf } from "./ranges.ts";

/** Makes committed events visible in this process: keeps the newest in memory and calls the listeners. */
export class Publisher {
  readonly recent: RecentPieces;
  /** Position of the last published event. */
  lastPosition: number;
  readonly #listeners = new Set<(piece: Piece) => void>();

  constructor(recentBytes: number, lastPosition: number) {
    this.recent = new RecentPieces(recentBytes);
    this.lastPosition = lastPosition;
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /** Calls the listener for every piece from now on, until the returned function is called. */
  watch(listener: (piece: Piece) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Pieces must come in the order of positions. A listener that throws affects neither the commit nor other listeners. */
  publish(piece: Piece): void {
    this.lastPosition = lastOf(piece.positions);
    this.recent.push(piece);
    for (const listener of this.#listeners) {
      try {
        listener(piece);
      } catch (error) {
        process.emitWarning(error as Error);
      }
    }
  }
}
