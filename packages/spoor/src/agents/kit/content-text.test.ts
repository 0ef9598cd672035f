import { expect, it } from "vitest";
import { textOfContent } from "./content-text.ts";

it("reads strings and blocks of text, and skips all other values", () => {
  const blocks = [{ type: "text", text: "one" }, { type: "image" }, null, { text: 3 }, { text: "" }, { text: "two" }];
  expect(textOfContent("as it is")).toBe("as it is");
  expect(textOfContent(blocks)).toBe("onetwo");
  expect(textOfContent(blocks, "\n")).toBe("one\ntwo");
  expect(textOfContent(undefined)).toBe("");
});
