import { safeEnd, toBuffer } from "./byte-buffer.ts";
import type { Cutter } from "./stream-cutter.ts";

/**
 * Passes text on as it comes, without waiting for the end of a line, and changes none of it: the pieces add up to the whole
 * output. A piece never ends inside a character.
 */
export function createChunkCutter(): Cutter {
  let rest = Buffer.alloc(0);
  return {
    *push(chunk) {
      const bytes = rest.length === 0 ? toBuffer(chunk) : Buffer.concat([rest, toBuffer(chunk)]);
      const end = safeEnd(bytes);
      // Copied, because the stream may use the memory of the chunk again.
      rest = Buffer.from(bytes.subarray(end));
      if (end > 0) yield { text: bytes.toString("utf8", 0, end) };
    },
    *end() {
      if (rest.length > 0) yield { text: rest.toString("utf8") };
      rest = Buffer.alloc(0);
    },
  };
}
