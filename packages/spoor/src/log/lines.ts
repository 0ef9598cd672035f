import { fromNumbers, type Ranges } from "./ranges.ts";

const NEWLINE = 10;

/** The lines of a piece: part of the lines of a chunk. */
export interface Lines {
  /** The offset after each of the chunk's lines. */
  ends(): ArrayLike<number>;
  /** Index in the chunk of the piece's first line. */
  first: number;
  /** Offset in the chunk of the piece's first byte. */
  offset: number;
}

/** The lines of a whole chunk. Their ends are looked for when someone asks for them. */
export function linesOf(bytes: Buffer, count: number): Lines {
  let known: Uint32Array | undefined;
  return { ends: () => (known ??= lineEnds(bytes, count)), first: 0, offset: 0 };
}

/** The offset after each line. */
export function lineEnds(bytes: Buffer, lines: number): Uint32Array {
  const ends = new Uint32Array(lines);
  for (let line = 0, end = 0; line < lines; line++) {
    end = bytes.indexOf(NEWLINE, end) + 1;
    ends[line] = end;
  }
  return ends;
}

/** The offset of the line with this index. For the index after the last line, the length of the bytes. */
export function lineStart(bytes: Buffer, index: number): number {
  let offset = 0;
  for (let line = 0; line < index && offset < bytes.length; line++) {
    const end = bytes.indexOf(NEWLINE, offset);
    if (end === -1) return bytes.length;
    offset = end + 1;
  }
  return offset;
}

/** How many whole lines fit into a size, at least one, and the offset after them. */
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

/** The type of an envelope, without parsing it. No text of a caller precedes it in the line. */
export function typeAt(bytes: Buffer, start: number): string {
  const from = bytes.indexOf(TYPE, start, "latin1") + TYPE.length;
  return bytes.toString("latin1", from, bytes.indexOf(QUOTE, from));
}

const TYPE = '"type":"';
const QUOTE = 34;

/** The lines whose type the filter accepts, and their indexes. */
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
