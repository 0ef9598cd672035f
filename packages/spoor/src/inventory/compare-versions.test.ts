import { expect, it } from "vitest";
import { compareVersions } from "./compare-versions.ts";

it.each([
  ["1.2.3", "1.2.3", 0],
  ["1.2", "1.2.0", 0],
  ["0.87.1", "0.9.2", 1],
  ["2.1.0", "2.1.325", -1],
  ["1.0.0-beta.2", "1.0.0", -1],
  ["1.0.0", "1.0.0-rc.1", 1],
  ["1.0.0+build.5", "1.0.0", 0],
  ["2026.9.6", "2026.10.1", -1],
])("compares %s with %s", (a, b, expected) => {
  expect(Math.sign(compareVersions(a, b))).toBe(expected);
});
