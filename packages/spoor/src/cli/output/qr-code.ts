import type { Writable } from "node:stream";

/**
 * Dark on light whatever the colours of the terminal are: a phone does not read all inverted codes. The blocks of the
 * library are the light squares, so the letters are white and the ground is black.
 */
const [BEGIN, END] = ["\u001b[97;40m", "\u001b[0m"];

/** Draws a link as a QR code. Returns nothing if this is no terminal or if it is too narrow. */
export async function qrCode(text: string, stream: Writable & { isTTY?: boolean; columns?: number }): Promise<string> {
  if (stream.isTTY !== true) return "";
  const { renderUnicodeCompact } = await import("uqr");
  const lines = renderUnicodeCompact(text, { border: 2 }).split("\n");
  if (Math.max(...lines.map((line) => line.length)) + 2 > (stream.columns ?? 80)) return "";
  return lines.map((line) => `  ${BEGIN}${line}${END}\n`).join("");
}
