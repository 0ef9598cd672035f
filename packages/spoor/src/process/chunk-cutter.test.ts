import { describe, expect, it } from "vitest";
import { createChunkCutter } from "./chunk-cutter.ts";

const texts = (chunks: readonly Uint8Array[]): string[] => {
  const cutter = createChunkCutter();
  return [...chunks.flatMap((chunk) => [...cutter.push(chunk)]), ...cutter.end()].map(({ text }) => text);
};

describe("a chunk cutter", () => {
  it("passes text on without waiting for the end of a line", () => {
    expect(texts([Buffer.from("a"), Buffer.from("b\r\nc")])).toEqual(["a", "b\r\nc"]);
  });

  it("never ends a piece inside a character", () => {
    const bytes = Buffer.from("x☃y");
    expect(texts([bytes.subarray(0, 2), bytes.subarray(2, 3), bytes.subarray(3)])).toEqual(["x", "☃y"]);
  });

  it("replaces bytes that never become a character", () => {
    expect(texts([Buffer.from([0x61, 0xe2, 0x98])])).toEqual(["a", "\uFFFD"]);
  });
});
