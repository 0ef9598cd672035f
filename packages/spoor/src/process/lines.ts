import { createLineCutter } from "./line-cutter.ts";
import { cut } from "./stream-cutter.ts";

/** The lines of a stream of bytes, whole however long they are. What counts as a line stands with the line cutter. */
export async function* lines(input: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  for await (const piece of cut(input, createLineCutter({ maxBytes: Number.POSITIVE_INFINITY }))) yield piece.text;
}
