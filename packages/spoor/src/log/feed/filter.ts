import { isTerminalRunType } from "@spoor/protocol/lines";
import { typeAt } from "../lines.ts";
import type { Piece } from "../log.ts";
import { matching } from "../pieces/pieces.ts";

/** The events of a piece that a filter accepts; the piece itself if it accepts all. Computed once for all readers. */
export function filtered(piece: Piece, match: (type: string) => boolean): Piece | undefined {
  let ofMatch = found.get(match);
  if (!ofMatch) {
    ofMatch = new WeakMap();
    found.set(match, ofMatch);
  }
  if (!ofMatch.has(piece)) ofMatch.set(piece, matching(piece, match));
  return ofMatch.get(piece);
}

const found = new WeakMap<(type: string) => boolean, WeakMap<Piece, Piece | undefined>>();

/** Whether the run's terminal event is in the piece. */
export function endsRun({ bytes, eventTypes }: Piece): boolean {
  if (eventTypes) return [...eventTypes].some(isTerminalRunType);
  // Most pieces do not contain this text at all, and searching for it is cheaper than reading every type.
  if (!bytes.includes('"type":"run.')) return false;
  for (let start = 0; start < bytes.length; start = bytes.indexOf(NEWLINE, start) + 1) {
    if (isTerminalRunType(typeAt(bytes, start))) return true;
  }
  return false;
}

const NEWLINE = 10;
