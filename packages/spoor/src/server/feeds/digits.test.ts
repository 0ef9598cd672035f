import fc from "fast-check";
import { expect, it } from "vitest";
import { digitCount, writeDigits } from "./digits.ts";

it("writes a number as text would, wherever it is put", () => {
  const numbers = fc.oneof(fc.nat(), fc.maxSafeNat(), fc.constantFrom(0, 9, 10, 99, 100, 999_999, 1_000_000));
  fc.assert(
    fc.property(numbers, fc.nat({ max: 20 }), (value, offset) => {
      const target = Buffer.alloc(48, ".");
      const end = writeDigits(target, value, digitCount(value), offset);
      expect(end).toBe(offset + `${value}`.length);
      expect(target.toString()).toBe(`${".".repeat(offset)}${value}`.padEnd(48, "."));
    }),
  );
});
