/**
 * Splits bytes into lines, each with its line break. A character stands for one byte (latin1), so that any bytes, also
 * invalid UTF-8, survive unchanged.
 */
export function linesOf(bytes: Buffer): string[] {
  return bytes.toString("latin1").match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

export const bytesOf = (lines: readonly string[]): Buffer => Buffer.from(lines.join(""), "latin1");

/** Whether Git would treat the content as binary: it has a NUL near its beginning. */
export const isBinary = (bytes: Buffer): boolean => bytes.subarray(0, 8_000).includes(0);
