import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLineCutter } from "./line-cutter.ts";
import type { Piece } from "./stream-cutter.ts";

const cutAll = (chunks: (string | Uint8Array)[], maxBytes?: number): Piece[] => {
  const cutter = createLineCutter({ maxBytes });
  return [...chunks.flatMap((chunk) => [...cutter.push(chunk)]), ...cutter.end()];
};

/** Joins pieces to lines. */
const join = (pieces: Piece[]): string[] => {
  const joined: string[] = [];
  let open = false;
  for (const { text, continues } of pieces) {
    if (open) joined.push((joined.pop() ?? "") + text);
    else joined.push(text);
    open = continues === true;
  }
  expect(open).toBe(false);
  return joined;
};

describe("a line above the limit", () => {
  it("is split into pieces, all but the last marked continues", () => {
    expect(cutAll(["0123456789abcdefXYZ\nshort\n"], 8)).toEqual([
      { text: "01234567", continues: true },
      { text: "89abcdef", continues: true },
      { text: "XYZ" },
      { text: "short" },
    ]);
  });

  it("is not split at exactly the limit", () => {
    expect(cutAll(["01234567\n", "01234567"], 8)).toEqual([{ text: "01234567" }, { text: "01234567" }]);
  });

  it("keeps CR and LF together, and a CR that has no LF", () => {
    expect(join(cutAll(["0123456\r", "\n"], 8))).toEqual(["0123456"]);
    expect(join(cutAll(["01234567\r", "\n"], 8))).toEqual(["01234567"]);
    expect(join(cutAll(["0123456\r", "\r\n"], 8))).toEqual(["0123456\r"]);
  });

  it("joins to the original line, however bytes and pieces are cut", () => {
    const text = fc.array(fc.constantFrom("a", "\r", "\n", "\r\n", "é", "€", "🦶", "\u2028", "\0"), { maxLength: 60 });
    fc.assert(
      fc.property(text, fc.array(fc.nat(100)), fc.integer({ min: 8, max: 20 }), (parts, cuts, maxBytes) => {
        const bytes = Buffer.from(parts.join(""));
        const at = [0, ...cuts.map((n) => n % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
        const chunks = at.slice(1).map((end, n) => bytes.subarray(at[n], end));
        const pieces = cutAll(chunks, maxBytes);
        expect(join(pieces)).toEqual(cutAll([bytes]).map((piece) => piece.text));
        for (const piece of pieces) expect(Buffer.byteLength(piece.text)).toBeLessThanOrEqual(maxBytes);
      }),
    );
  });

  it("loses no byte of invalid UTF-8", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const clean = bytes.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x80 : byte));
        const joined = join(cutAll([clean], 8));
        expect(joined.join("").length).toBeGreaterThanOrEqual(new TextDecoder().decode(clean).length);
      }),
    );
  });
});

it("reads one line from a million chunks of one byte", () => {
  const cutter = createLineCutter();
  const byte = Buffer.from("x");
  let early = 0;
  for (let n = 0; n < 1_000_000; n += 1) for (const _piece of cutter.push(byte)) early += 1;
  expect(early).toBe(0);
  expect([...cutter.push("\n")].map((piece) => piece.text.length)).toEqual([1_000_000]);
});
