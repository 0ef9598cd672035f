import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createUlidSource, prefixed, ulidTime, unprefixed } from "./ids.ts";

const take = (source: () => string, count: number) => Array.from({ length: count }, source);
const isIncreasing = (ids: string[]) => ids.every((id, n) => n === 0 || id > (ids[n - 1] as string));

describe("a ULID source", () => {
  it("returns 26 Crockford characters that contain the time", () => {
    const [id] = take(createUlidSource({ now: () => 1_793_577_600_123 }), 1) as [string];
    expect(id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    expect(ulidTime(id)).toBe(1_793_577_600_123);
    expect(ulidTime(prefixed("event", id))).toBe(1_793_577_600_123);
  });

  it("increases strictly, whatever the clock and the random numbers do", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(5), { minLength: 2 }),
        fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 1 }),
        (clock, dice) => {
          let at = 0;
          let die = 0;
          const now = () => clock[at++ % clock.length] as number;
          const random = () => dice[die++ % dice.length] as number;
          expect(isIncreasing(take(createUlidSource({ now, random }), 50))).toBe(true);
        },
      ),
    );
  });

  it("carries over when the low bits overflow", () => {
    const ids = take(createUlidSource({ now: () => 1, random: () => 1 - 2 ** -40 }), 5);
    expect(isIncreasing(ids)).toBe(true);
    expect(ids[1]).toMatch(/0{8}$/);
  });

  it("stays unique and sorted over a hundred thousand ids of one millisecond", () => {
    const ids = take(createUlidSource({ now: () => 7 }), 100_000);
    expect(isIncreasing(ids)).toBe(true);
  });

  it("accepts times before 1970 and beyond the range of a ULID", () => {
    expect(take(createUlidSource({ now: () => 2 ** 60 }), 1)[0]).toMatch(/^7ZZZZZZZZZ/);
    expect(take(createUlidSource({ now: () => -5 }), 1)[0]).toMatch(/^0000000000/);
  });
});

describe("a prefix", () => {
  it("is removed if present, and text without it is unchanged", () => {
    expect(unprefixed("run", prefixed("run", "X"))).toBe("X");
    expect(unprefixed("run", "X")).toBe("X");
  });
});
