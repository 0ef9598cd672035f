import { expect, it } from "vitest";
import { textOfContent } from "./content-text.ts";

it("finds words in text and in blocks of it, whatever else is among them", () => {
  const blocks = [{ type: "text", text: "one" }, { type: "image" }, null, { text: 3 }, { text: "" }, { text: "two" }];
  expect(textOfContent("as it is")).toBe("as it is");
  expect(textOfContent(blocks)).toBe("onetwo");
  expect(textOfContent(blocks, "\n")).toBe("one\ntwo");
  expect(textOfContent(undefined)).toBe("");
});
