/** Cuts a stream of bytes into texts, chunk by chunk. Invalid UTF-8 becomes U+FFFD. */
export interface Cutter {
  push(chunk: Uint8Array | string): Iterable<Piece>;
  /** What was left when the bytes ended. */
  end(): Iterable<Piece>;
}

export interface Piece {
  text: string;
  /** The text was too long for one piece and goes on in the next; joined, the pieces are the text. */
  continues?: true;
  /** Bytes outside the framing, which are noise and no message. */
  stray?: true;
}

export interface CutterOptions {
  /** A text above this comes in pieces, so that it never takes more memory. */
  maxBytes?: number | undefined;
  /** How large the pieces of such a text are after the first one; `maxBytes` when absent. */
  pieceBytes?: number | undefined;
}

/** The most one text takes in memory when nobody names a limit. V8 ends at twice this. */
export const MAX_TEXT_BYTES: number = 256 * 1024 * 1024;

/** Runs a cutter over bytes as they come. */
export async function* cut(input: AsyncIterable<Uint8Array | string>, cutter: Cutter): AsyncGenerator<Piece> {
  for await (const chunk of input) yield* cutter.push(chunk);
  yield* cutter.end();
}
