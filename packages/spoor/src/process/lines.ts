import { createLineCutter } from "./line-cutter.ts";
import { cut } from "./stream-cutter.ts";

/** Yields the lines of a stream of bytes, each complete however long it is. `createLineCutter` defines what a line is. */
export async function* lines(input: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  for await (const piece of cut(input, createLineCutter({ maxBytes: Number.POSITIVE_INFINITY }))) yield piece.text;
}
