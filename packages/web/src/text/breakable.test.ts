import { expect, test } from "vitest";
import { breakable } from "./breakable.ts";

test("a word of many characters is cut into pieces that make up the text, and other words are left alone", () => {
  const text = `short words ${"a".repeat(3_500)} ${"b".repeat(10_500)} end`;
  const pieces = breakable(text);
  expect(pieces.join("")).toBe(text);
  expect(pieces).toHaveLength(11);
  expect(breakable("word ".repeat(10_000))).toHaveLength(1);
});

test("no character is cut in two", () => {
  const text = `x${"😀".repeat(5_000)}`;
  const pieces = breakable(text);
  expect(pieces.join("")).toBe(text);
  expect(pieces.length).toBeGreaterThan(5);
  for (const piece of pieces) expect(piece.isWellFormed()).toBe(true);
});
