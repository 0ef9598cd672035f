import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { frames, frameText } from "./content-length.ts";
import type { Piece } from "./stream-cutter.ts";

const read = async (chunks: (string | Uint8Array)[], maxBytes?: number): Promise<Piece[]> => {
  async function* source() {
    yield* chunks;
  }
  const pieces: Piece[] = [];
  for await (const piece of frames(source(), { maxBytes })) pieces.push(piece);
  return pieces;
};

describe("frames", () => {
  it("reads what frameText writes, however the bytes are split into chunks", async () => {
    const bodies = ["{}", "", '{"a":"🦶\\n"}', "line\r\n\r\nContent-Length: 3\r\n\r\n", "x".repeat(100_000)];
    const bytes = Buffer.from(bodies.map(frameText).join(""));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const chunks = at.slice(1).map((end, n) => bytes.subarray(at[n], end));
        expect(await read(chunks)).toEqual(bodies.map((text) => ({ text })));
      }),
    );
  });

  it("accepts headers in any case and a bare LF, and ignores other headers", async () => {
    const wire =
      "content-LENGTH:2\nContent-Type: application/json\n\n{}Content-Type: x\r\nContent-Length: 2 \r\n\r\n[]";
    expect(await read([wire])).toEqual([{ text: "{}" }, { text: "[]" }]);
  });

  it("yields text before a header as stray and continues", async () => {
    const wire = `Debugger attached.\n\nwarming up… ${frameText("{}")}\n(done)\n${frameText("[]")}`;
    expect(await read([wire])).toEqual([
      { text: "Debugger attached.", stray: true },
      { text: "warming up… ", stray: true },
      { text: "{}" },
      { text: "(done)", stray: true },
      { text: "[]" },
    ]);
  });

  it("treats a length that is not a number as stray text", async () => {
    const wire = `Content-Length: -1\r\n\r\nContent-Length: 0x2\r\n\r\n${frameText("{}")}`;
    expect(await read([wire])).toEqual([
      { text: "Content-Length: -1", stray: true },
      { text: "Content-Length: 0x2", stray: true },
      { text: "{}" },
    ]);
  });

  it("yields endless stray text without a newline instead of buffering it", async () => {
    const pieces = await read(Array.from({ length: 10 }, () => "n".repeat(50_000)));
    expect(pieces.every((piece) => piece.stray)).toBe(true);
    expect(pieces.map((piece) => piece.text).join("").length).toBe(500_000);
    expect(pieces.length).toBeGreaterThanOrEqual(5);
  });

  it("yields a message that the end of input truncated as stray", async () => {
    expect(await read(["Content-Length: 10\r\n\r\n{"])).toEqual([{ text: "{", stray: true }]);
    expect(await read(["Content-Le"])).toEqual([{ text: "Content-Le", stray: true }]);
  });

  it("yields a message above the limit in pieces that join to the whole, and reads the next message", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 8, max: 40 }), fc.array(fc.nat(90)), async (maxBytes, cuts) => {
        const bytes = Buffer.from(`${frameText("{}")}${frameText("é🦶".repeat(9))}${frameText("[]")}`);
        const at = [0, ...cuts.sort((a, b) => a - b).filter((cut) => cut < bytes.length), bytes.length];
        const pieces = await read(
          at.slice(1).map((end, n) => bytes.subarray(at[n], end)),
          maxBytes,
        );
        expect(pieces.map(({ text }) => text).join("")).toBe(`{}${"é🦶".repeat(9)}[]`);
        expect(pieces.filter(({ continues }) => !continues)).toHaveLength(3);
        for (const { text } of pieces) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
      }),
    );
    expect(await read([frameText("x".repeat(1000))], 1000)).toHaveLength(1);
  });

  it("limits its memory for a message with a wrong length", async () => {
    const wire = `${frameText("{}")}Content-Length: 99999999999999999999\r\n\r\n${"z".repeat(5000)}`;
    const pieces = await read([wire], 1000);
    expect(pieces.map(({ text }) => text).join("")).toBe(`{}${"z".repeat(5000)}`);
    expect(pieces.slice(1).every(({ text }) => text.length <= 1000)).toBe(true);
  });

  it("does not reserve memory for an announced length", async () => {
    const before = process.memoryUsage().arrayBuffers;
    await read(["Content-Length: 200000000\r\n\r\n{"]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000);
  });
});
