import { expect, it } from "vitest";
import { writtenLines } from "./written-lines.ts";

it("counts the lines of a written file, whether or not the last one ends with a line break", () => {
  const texts = ["", "one", "one\n", "one\ntwo", "one\n\ntwo\n", "\n"];
  const bytes = (text: string) => new TextEncoder().encode(text).length;
  expect(texts.map((content) => writtenLines({ content }, bytes(content)))).toEqual([0, 1, 1, 2, 3, 1]);
  expect(writtenLines({ path: "a", file_text: "größer\n" }, bytes("größer\n"))).toBe(1);
});

it("knows nothing when the input is not what was written", () => {
  for (const input of [undefined, null, "one\n", {}, { content: 4 }, { content: "two\n\n" }, { path: "abcd" }])
    expect(writtenLines(input, 4)).toBeUndefined();
  expect(writtenLines({ content: "one\n" }, undefined)).toBeUndefined();
});
