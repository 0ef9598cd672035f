import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineBuffer } from "../chunks/line-buffer.ts";
import { lineEnds } from "../lines.ts";
import type { Piece } from "../log.ts";
import { countOf } from "../ranges.ts";
import { RecentPieces } from "./recent.ts";

/** Its lines say which sequences they are. */
function piece(run_id: string, sequence: number, count: number, position = sequence): Piece {
  const lines = Array.from({ length: count }, (_, index) => `${run_id} ${sequence + index}\n`);
  return { run_id, bytes: Buffer.from(lines.join("")), sequences: [[sequence, count]], positions: [[position, count]] };
}

/** The same, but one behind the other in memory, and knowing where their lines end. */
function pieceMaker(): typeof piece {
  const buffer = new LineBuffer();
  return (...place) => {
    const { bytes: all, ...rest } = piece(...place);
    for (const line of all.toString().split(/(?<=\n)/)) {
      const bytes = Buffer.from(line);
      buffer.add({ bytes: bytes.length, copyTo: (target, offset) => bytes.copy(target, offset) });
    }
    return { ...rest, ...buffer.take() };
  };
}

/** Where lines end as the piece has it, beginning with itself. */
const knownEnds = ({ lines, sequences }: Piece): number[] | undefined =>
  lines &&
  Array.from({ length: countOf(sequences) }, (_, line) => (lines.ends()[lines.first + line] as number) - lines.offset);

const textOf = (pieces: readonly Piece[] | undefined): string | undefined =>
  pieces && Buffer.concat(pieces.map(({ bytes }) => bytes)).toString();

describe("the newest pieces", () => {
  it("are there for whoever is near the end, and it is said when they are not", () => {
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

  it("leave as new ones come, save for the very newest", () => {
    const recent = new RecentPieces(2_000);
    recent.push(piece("a", 0, 4));
    recent.push(piece("a", 4, 4));
    expect(recent.after("a", 2)).toBeUndefined();
    expect(textOf(recent.after("a", 3))).toBe("a 4\na 5\na 6\na 7\n");
    recent.push(piece("b", 0, 9, 8));
    expect(recent.after("a", 7)).toBeUndefined();
    expect(textOf(recent.after("b", 6))).toBe("b 7\nb 8\n");
  });

  it("never span a hole", () => {
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

  it("are few where events come one by one", () => {
    const make = pieceMaker();
    const recent = new RecentPieces(1_000_000);
    for (let sequence = 0; sequence < 5_000; sequence++) recent.push(make("a", sequence, 1));
    expect(recent.after("a", -1)?.length).toBeLessThan(5);
    expect(textOf(recent.after("a", 4_997))).toBe("a 4998\na 4999\n");
  });

  it("stay what they were for whoever holds them", () => {
    const make = pieceMaker();
    const recent = new RecentPieces(1_000_000);
    recent.push(make("a", 0, 2));
    recent.push(make("a", 2, 1));
    const [held] = recent.after("a", 0) as [Piece];
    recent.push(make("a", 3, 1));
    expect([textOf([held]), held.sequences, held.positions]).toEqual(["a 1\na 2\n", [[1, 2]], [[1, 2]]]);
    expect(knownEnds(held)).toEqual([4, 8]);
  });

  it("are what was pushed, from any cursor they reach back to", () => {
    const counts = fc.array(fc.tuple(fc.constantFrom("a", "b"), fc.integer({ min: 1, max: 5 })), { maxLength: 3_000 });
    fc.assert(
      fc.property(counts, fc.integer({ min: 1_000, max: 40_000 }), fc.boolean(), (pushes, maxBytes, isApart) => {
        const make = isApart ? piece : pieceMaker();
        const recent = new RecentPieces(maxBytes);
        const lines = { a: [] as string[], b: [] as string[] };
        let position = 0;
        for (const [run_id, count] of pushes) {
          const of = lines[run_id as "a" | "b"];
          const pushed = make(run_id, of.length, count, position);
          recent.push(pushed);
          of.push(...pushed.bytes.toString().split(/(?<=\n)/));
          position += count;
        }
        for (const [run_id, all] of Object.entries(lines)) {
          for (let cursor = Math.max(-1, all.length - 60); cursor < all.length; cursor++) {
            const found = recent.after(run_id, cursor);
            if (found) expect(textOf(found)).toBe(all.slice(cursor + 1).join(""));
            for (const each of isApart ? [] : (found ?? [])) {
              expect(knownEnds(each)).toEqual([...lineEnds(each.bytes, countOf(each.sequences))]);
            }
          }
        }
        const last = pushes.at(-1)?.[0] as "a" | "b" | undefined;
        if (last) expect(recent.after(last, lines[last].length - 1)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
