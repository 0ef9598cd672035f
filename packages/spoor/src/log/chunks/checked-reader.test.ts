import { describe, expect, it } from "vitest";
import { createChunkReader } from "./checked-reader.ts";
import { type ChunkRow, crcOf } from "./chunk.ts";

const LINE = `${JSON.stringify({ type: "external.event", note: "x".repeat(300) })}\n`;

/** A chunk that is large enough to be remembered, with a body of its own each time, as a store returns it. */
function stored(changes: Partial<ChunkRow> = {}, events = 64): ChunkRow {
  const place = { last_position: 163, run: 1, first_position: 100, first_sequence: 0, last_sequence: 63, events };
  const rest = { positions: null, types: " 1 ", head: "0".repeat(64), encoding: 0, crc: 0 };
  const row = { ...place, ...rest, body: Buffer.from(LINE.repeat(events)), ...changes };
  return { ...row, crc: crcOf(row, "run_a") };
}

function damaged(row: ChunkRow): ChunkRow {
  const body = Buffer.from(row.body);
  body[1_000] = (body[1_000] as number) ^ 1;
  return { ...row, body };
}

describe("a chunk that is read again", () => {
  it("has the stored bytes and the same line ends", () => {
    const read = createChunkReader();
    for (let time = 0; time < 3; time++) {
      const chunk = read(stored(), "run_a");
      expect(chunk?.bytes.toString()).toBe(LINE.repeat(64));
      expect(Array.from(chunk?.lines?.ends() ?? [])).toEqual(
        Array.from({ length: 64 }, (_, line) => (line + 1) * LINE.length),
      );
    }
  });

  it("is compared with its checksum again if it was damaged or if its verdict is too old", () => {
    let now = 0;
    const read = createChunkReader(() => now);
    expect(read(damaged(stored()), "run_a")).toBeUndefined();
    expect(read(damaged(stored()), "run_a")).toBeUndefined();
    expect(read(stored(), "run_a")).toBeDefined();
    now = 60_000;
    expect(read(damaged(stored()), "run_a")).toBeUndefined();
    expect(read(stored(), "run_a")).toBeDefined();
  });

  it.each<[string, Partial<ChunkRow>]>([
    ["run", { run: 2 }],
    ["first position", { first_position: 99 }],
    ["first sequence", { first_sequence: 1 }],
    ["last sequence", { last_sequence: 64 }],
    ["count", { events: 63 }],
    ["positions", { positions: "[[100,64]]" }],
    ["types", { types: " 2 " }],
    ["hash", { head: "1".repeat(64) }],
    ["encoding", { encoding: 1 }],
    ["checksum", { crc: 7 }],
    ["length", { body: Buffer.from(LINE.repeat(63)) }],
  ])("is compared with its checksum when its %s has changed", (_, change) => {
    const read = createChunkReader();
    const row = stored();
    expect(read(row, "run_a")).toBeDefined();
    expect(read({ ...row, ...change }, "run_a")).toBeUndefined();
    expect(read(row, "run_b")).toBeUndefined();
    expect(read(row, "run_a")).toBeDefined();
  });

  it("is read as it is stored now after it was merged or cut", () => {
    const read = createChunkReader();
    expect(read(stored(), "run_a")?.lines?.ends()).toHaveLength(64);
    const cut = read(stored({ first_sequence: 32 }, 32), "run_a");
    expect(cut?.bytes.toString()).toBe(LINE.repeat(32));
    expect(cut?.lines?.ends()).toHaveLength(32);
  });
});
