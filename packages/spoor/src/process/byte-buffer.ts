/**
 * A buffer that doubles when it is full, so that appending takes linear time and memory however small the chunks are. It
 * reserves no more than `expected` bytes in advance.
 */
export function createByteBuffer(expected: number) {
  let bytes = Buffer.alloc(0);
  let length = 0;

  return {
    get length() {
      return length;
    },
    append(chunk: Uint8Array): void {
      if (length + chunk.length > bytes.length) {
        const grown = Buffer.allocUnsafeSlow(Math.max(length + chunk.length, Math.min(bytes.length * 2, expected)));
        grown.set(bytes.subarray(0, length));
        bytes = grown;
      }
      bytes.set(chunk, length);
      length += chunk.length;
    },
    /** Returns the content, valid until the next append, and empties the buffer. Frees the memory of a very large text. */
    take(): Buffer {
      const taken = bytes.subarray(0, length);
      if (bytes.length > KEPT_BYTES) bytes = Buffer.alloc(0);
      length = 0;
      return taken;
    },
  };
}

/** The same bytes as a Buffer, without a copy. */
export function toBuffer(chunk: Uint8Array | string): Buffer {
  return typeof chunk === "string" ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
}

/** Returns where UTF-8 bytes can be cut: before an incomplete character at the end. */
export function safeEnd(bytes: Buffer): number {
  for (let back = 1; back <= 3; back += 1) {
    const byte = bytes.at(-back) ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const needed = byte >= 0b1111_0000 ? 4 : byte >= 0b1110_0000 ? 3 : byte >= 0b1100_0000 ? 2 : 1;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

const KEPT_BYTES = 1024 * 1024;
