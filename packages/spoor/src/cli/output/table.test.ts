import { expect, it } from "vitest";
import { table } from "./table.ts";

it("counts two columns for wide characters, so that columns stand below each other", () => {
  expect(
    table([
      ["漢字", "a"],
      ["long", "b"],
    ]),
  ).toBe("漢字  a\nlong  b\n");
});

it("cuts rows that are wider than the terminal, and shows control characters as codes", () => {
  expect(table([["漢字かな", "a\u001b[2Jb"]], { columns: 12 })).toBe("漢字かな  a…\n");
  const ascii = { columns: 12, isAscii: true, plain: (text: string) => text.replaceAll("…", "...") };
  expect(table([["a long row of words"]], ascii)).toBe("a long ro...\n");
});
