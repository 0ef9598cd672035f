/** Splits a stream of bytes into texts, chunk by chunk. Invalid UTF-8 becomes U+FFFD. */
export interface Cutter {
  push(chunk: Uint8Array | string): Iterable<Piece>;
  /** Returns the rest after the last chunk. */
  end(): Iterable<Piece>;
}

export interface Piece {
  text: string;
  /** The text was too long for one piece and continues in the next. The joined pieces are the whole text. */
  continues?: true;
  /** Bytes outside the framing, which belong to no message. */
  stray?: true;
}

export interface CutterOptions {
  /** A longer text is split into pieces, to limit memory. */
  maxBytes?: number | undefined;
  /** The size of the pieces after the first one; `maxBytes` when absent. */
  pieceBytes?: number | undefined;
}

/** The default limit for one text. The longest string in V8 is about twice this size. */
export const MAX_TEXT_BYTES: number = 256 * 1024 * 1024;

/** Runs a cutter over a stream of bytes. */
export async function* cut(input: AsyncIterable<Uint8Array | string>, cutter: Cutter): AsyncGenerator<Piece> {
  for await (const chunk of input) yield* cutter.push(chunk);
  yield* cutter.end();
}
