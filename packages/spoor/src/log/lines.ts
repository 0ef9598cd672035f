import { fromNumbers, type Ranges } from "./ranges.ts";

const NEWLINE = 10;

/** The lines from `first` on of a chunk, whose bytes begin at `offset` in it. */
export interface Lines {
  /** The offset after each of the chunk's lines. */
  ends(): ArrayLike<number>;
  first: number;
  offset: number;
}

/** The offset after each of so many lines. */
export function lineEnds(bytes: Buffer, lines: number): Uint32Array {
  const ends = new Uint32Array(lines);
  for (let line = 0, end = 0; line < lines; line++) {
    end = bytes.indexOf(NEWLINE, end) + 1;
    ends[line] = end;
  }
  return ends;
}

/** Offset of the line with this index; the length of the bytes for the one after the last. */
export function lineStart(bytes: Buffer, index: number): number {
  let offset = 0;
  for (let line = 0; line < index && offset < bytes.length; line++) {
    const end = bytes.indexOf(NEWLINE, offset);
    if (end === -1) return bytes.length;
    offset = end + 1;
  }
  return offset;
}

/** Whole lines up to a size, but at least one: how many, and where they end. */
export function linesWithin(bytes: Buffer, maxLines: number, maxBytes: number): { lines: number; end: number } {
  let lines = 0;
  let end = 0;
  while (lines < maxLines && end < bytes.length) {
    const next = bytes.indexOf(NEWLINE, end) + 1;
    if (lines > 0 && next > maxBytes) break;
    end = next;
    lines += 1;
  }
  return { lines, end };
}

/** An envelope's type, without parsing it: nothing that a caller wrote stands before it. */
export function typeAt(bytes: Buffer, start: number): string {
  const from = bytes.indexOf(TYPE, start, "latin1") + TYPE.length;
  return bytes.toString("latin1", from, bytes.indexOf(QUOTE, from));
}

const TYPE = '"type":"';
const QUOTE = 34;

/** The lines whose type a filter accepts, and their indexes. */
export function pick(bytes: Buffer, match: (type: string) => boolean): { bytes: Buffer; picked: Ranges } {
  const kept: Buffer[] = [];
  const picked: number[] = [];
  let index = 0;
  for (let start = 0; start < bytes.length; index++) {
    const end = bytes.indexOf(NEWLINE, start) + 1;
    if (match(typeAt(bytes, start))) {
      kept.push(bytes.subarray(start, end));
      picked.push(index);
    }
    start = end;
  }
  return { bytes: picked.length === index ? bytes : Buffer.concat(kept), picked: fromNumbers(picked) };
}
