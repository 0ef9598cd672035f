import type { Page, Piece, ReadQuery } from "../log.ts";
import { countOf, lastOf, type Ranges } from "../ranges.ts";
import { matching, within } from "./pieces.ts";

const PAGE_BYTES = 1024 * 1024;

/** Collects pieces, or passes each to `each`, up to a number of events and of bytes, but at least one event. */
export function createPage(limit = Number.POSITIVE_INFINITY, maxBytes = PAGE_BYTES, each?: (piece: Piece) => void) {
  const pieces: Piece[] = [];
  let events = 0;
  let bytes = 0;
  let last: Piece | undefined;
  return {
    /** Returns false if the piece did not fit as a whole: the page is full. */
    take(piece: Piece): boolean {
      if (events >= limit || (bytes >= maxBytes && events > 0)) return false;
      const fits = within(piece, limit - events, maxBytes - bytes);
      if (events > 0 && bytes + fits.bytes.length > maxBytes) return false;
      if (each) each(fits);
      else pieces.push(fits);
      last = fits;
      events += countOf(fits.sequences);
      bytes += fits.bytes.length;
      return fits === piece;
    },
    /** The page, if it holds everything up to `next`. */
    whole: (next: number): Page => ({ pieces, next, more: false }),
    /** The page, if it became full: the next page follows its last event. */
    cut(places: (piece: Piece) => Ranges): Page {
      return { pieces, next: last ? lastOf(places(last)) : -1, more: true };
    },
  };
}

/** A page of the pieces of a run. They must be all that follow the cursor. */
export function pageOf(pieces: readonly Piece[], { limit, maxBytes, match, each }: ReadQuery): Page {
  const page = createPage(limit, maxBytes, each);
  for (const piece of pieces) {
    const wanted = matching(piece, match);
    if (wanted && !page.take(wanted)) return page.cut(({ sequences }) => sequences);
  }
  return page.whole(lastOf((pieces.at(-1) as Piece).sequences));
}
