import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Piece } from "../log.ts";
import { RecentPieces } from "./recent.ts";

/** Its lines name their sequences. */
function piece(run_id: string, sequence: number, count: number, position = sequence): Piece {
  const lines = Array.from({ length: count }, (_, index) => `${run_id} ${sequence + index}\n`);
  return { run_id, bytes: Buffer.from(lines.join("")), sequences: [[sequence, count]], positions: [[position, count]] };
}

const textOf = (pieces: readonly Piece[] | undefined): string | undefined =>
  pieces && Buffer.concat(pieces.map(({ bytes }) => bytes)).toString();

describe("RecentPieces", () => {
  it("returns the pieces after a cursor near the end, and undefined for any other cursor", () => {
    const recent = new RecentPieces(10_000);
    recent.push(piece("a", 0, 3));
    recent.push(piece("b", 0, 1, 3));
    recent.push(piece("a", 3, 1, 4));
    expect(textOf(recent.after("a", 0))).toBe("a 1\na 2\na 3\n");
    expect(textOf(recent.after("a", 2))).toBe("a 3\n");
    expect(recent.after("a", 3)).toEqual([]);
    expect(recent.after("a", 4)).toBeUndefined();
    expect(recent.after("c", -1)).toBeUndefined();
    expect(textOf(recent.afterPosition(1))).toBe("a 2\nb 0\na 3\n");
  });

  it("drops the oldest pieces beyond its size, but never the newest", () => {
    const recent = new RecentPieces(2_000);
    recent.push(piece("a", 0, 4));
    recent.push(piece("a", 4, 4));
    expect(recent.after("a", 2)).toBeUndefined();
    expect(textOf(recent.after("a", 3))).toBe("a 4\na 5\na 6\na 7\n");
    recent.push(piece("b", 0, 9, 8));
    expect(recent.after("a", 7)).toBeUndefined();
    expect(textOf(recent.after("b", 6))).toBe("b 7\nb 8\n");
  });

  it("never returns pieces with a hole between them", () => {
    const recent = new RecentPieces(10_000);
    recent.push(piece("a", 0, 2));
    recent.push(piece("b", 0, 1, 2));
    recent.push(piece("a", 5, 1, 3));
    expect(recent.after("a", 1)).toBeUndefined();
    expect(textOf(recent.after("a", 4))).toBe("a 5\n");
    recent.push(piece("a", 6, 1, 9));
    expect(recent.after("b", 0)).toBeUndefined();
    expect(recent.afterPosition(3)).toBeUndefined();
    expect(textOf(recent.afterPosition(8))).toBe("a 6\n");
  });

  it("returns the pushed pieces after any cursor that is still in memory", () => {
    const counts = fc.array(fc.tuple(fc.constantFrom("a", "b"), fc.integer({ min: 1, max: 5 })), { maxLength: 3_000 });
    fc.assert(
      fc.property(counts, fc.integer({ min: 1_000, max: 40_000 }), (pushes, maxBytes) => {
        const recent = new RecentPieces(maxBytes);
        const lines = { a: [] as string[], b: [] as string[] };
        let position = 0;
        for (const [run_id, count] of pushes) {
          const ofRun = lines[run_id as "a" | "b"];
          const pushed = piece(run_id, ofRun.length, count, position);
          recent.push(pushed);
          ofRun.push(...pushed.bytes.toString().split(/(?<=\n)/));
          position += count;
        }
        for (const [run_id, all] of Object.entries(lines)) {
          for (let cursor = Math.max(-1, all.length - 60); cursor < all.length; cursor++) {
            const found = recent.after(run_id, cursor);
            if (found) expect(textOf(found)).toBe(all.slice(cursor + 1).join(""));
          }
        }
        const last = pushes.at(-1)?.[0] as "a" | "b" | undefined;
        if (last) expect(recent.after(last, lines[last].length - 1)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
