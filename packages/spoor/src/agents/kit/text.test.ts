import { expect, it } from "vitest";
import { textOf } from "./text.ts";

it("finds words in text and in blocks of it, whatever else is among them", () => {
  const blocks = [{ type: "text", text: "one" }, { type: "image" }, null, { text: 3 }, { text: "" }, { text: "two" }];
  expect(textOf("as it is")).toBe("as it is");
  expect(textOf(blocks)).toBe("onetwo");
  expect(textOf(blocks, "\n")).toBe("one\ntwo");
  expect(textOf(undefined)).toBe("");
});
