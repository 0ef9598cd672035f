import { MAX_LINE_BYTES } from "../assemble/long-lines.ts";

/** Limits for reading a process, so that one line never takes more memory than an event may. */
export const lineLimits = { maxLineBytes: MAX_LINE_BYTES, pieceBytes: 1024 * 1024 };

/** Pieces are small, so that redaction finds a secret that spans two of them. */
const PIECE_LENGTH = 16 * 1024;

/** Cuts a text into pieces, never inside a surrogate pair. An empty text is one empty piece. */
export function* piecesOf(text: string): Generator<{ text: string; isLast: boolean }> {
  for (let start = 0; start === 0 || start < text.length; ) {
    const end = pieceEnd(text, start + PIECE_LENGTH);
    yield { text: text.slice(start, end), isLast: end === text.length };
    start = Math.max(end, 1);
  }
}

function pieceEnd(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code < 0xdc00 ? end - 1 : end;
}
