import fc from "fast-check";
import { expect, test } from "vitest";
import { defaultBackOff, delayAfter } from "./back-off.ts";

test("waits double from the base to the cap", () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8, 100].map((failures) => delayAfter(failures, defaultBackOff, 1));
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
});

test("jitter shortens a wait by at most a half", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5000 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
      const whole = delayAfter(failures, defaultBackOff, 1);
      const wait = delayAfter(failures, defaultBackOff, random);
      expect(wait).toBeGreaterThanOrEqual(whole / 2);
      expect(wait).toBeLessThanOrEqual(whole);
    }),
  );
});
