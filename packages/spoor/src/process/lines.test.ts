import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lines } from "./lines.ts";

const cut = async (...chunks: (string | Uint8Array)[]): Promise<string[]> => {
  async function* source() {
    yield* chunks;
  }
  const cutLines: string[] = [];
  for await (const line of lines(source())) cutLines.push(line);
  return cutLines;
};

describe("lines", () => {
  it("keeps a last line that has no newline", async () => {
    expect(await cut("a\nb")).toEqual(["a", "b"]);
  });

  it("treats CRLF as a newline and keeps a CR inside a line", async () => {
    expect(await cut("a\r\nb\rc\r", "\n")).toEqual(["a", "b\rc"]);
  });

  it("does not break at U+2028, U+2029, NEL, form feed or NUL", async () => {
    const odd = "a\u2028b\u2029c\u0085d\fe\0f";
    expect(await cut(`${odd}\n`)).toEqual([odd]);
  });

  it("drops a byte order mark at the start and keeps it elsewhere", async () => {
    expect(await cut("\ufeffa\n\ufeffb\n")).toEqual(["a", "\ufeffb"]);
  });

  it("replaces invalid UTF-8 instead of failing", async () => {
    expect(await cut(Buffer.from([0x61, 0xff, 0x0a]))).toEqual(["a\ufffd"]);
  });

  it("yields the same lines however the bytes are split into chunks", async () => {
    const text = 'первая\n\n{"a":"🦶"}\r\nlast';
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(40)), async (cuts) => {
        const bytes = Buffer.from(text);
        const at = [0, ...cuts.map((n) => n % bytes.length).sort((a, b) => a - b), bytes.length];
        const chunks = at.slice(1).map((end, n) => bytes.subarray(at[n], end));
        expect(await cut(...chunks)).toEqual(["первая", "", '{"a":"🦶"}', "last"]);
      }),
    );
  });

  it("reads a line of 50 MB that arrives in small chunks", async () => {
    const chunk = Buffer.alloc(64 * 1024, "x");
    const read = await cut(...Array.from({ length: 800 }, () => chunk), "\nend");
    expect(read.map((line) => line.length)).toEqual([800 * 64 * 1024, 3]);
  });
});
