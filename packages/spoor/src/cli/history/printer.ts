import type { EventQuery } from "../../log/feed/follow.ts";
import type { Piece } from "../../log/log.ts";

/** Prints events of the log in one form. */
export interface EventPrinter {
  /** Prints how the runs of a query are where it begins, if the language can say that. */
  begin?(query: EventQuery): Promise<void>;
  /** Prints the events of a piece, at most `most` of them. Returns how many it printed. */
  piece(piece: Piece, most?: number): Promise<number>;
  /** Prints what is new at a time although nothing happened. */
  check?(now: number): Promise<void>;
  /** Prints the rest of a line that has not ended. */
  end(): void;
}
