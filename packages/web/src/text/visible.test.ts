import { expect, it } from "vitest";
import { terminalSafeLines } from "../../../spoor/src/cli/output/terminal-safe.ts";
import { hostileTexts } from "./hostile-corpus.ts";
import { visible, visibleLine, visibleParts } from "./visible.ts";

it.each(hostileTexts)("shows %j as the terminal does", (text) => {
  expect(visible(text)).toBe(terminalSafeLines(text));
  expect(
    visibleParts(text)
      .map((part) => part.text)
      .join(""),
  ).toBe(visible(text));
});

it("turns line breaks into codes where a text must stay on one line", () => {
  expect(visibleLine("rm a\nrm b")).toBe("rm a\\u000arm b");
});

it("marks only codes that stand for a hidden character", () => {
  expect(visibleParts("typed \\u202e, real \u202e")).toEqual([
    { text: "typed \\u202e, real ", isCode: false },
    { text: "\\u202e", isCode: true },
  ]);
});
