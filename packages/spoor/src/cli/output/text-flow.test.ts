import { expect, it } from "vitest";
import type { Style } from "./style.ts";
import { createTextFlow } from "./text-flow.ts";

const style = (columns: number, isAscii = false): Style => ({
  ...{ codes: false, isAscii, columns, rows: 24 },
  ...{ paint: (_role, text) => text, plain: (text) => text },
});

function flow(text: string, shape: Style): string[] {
  const { push, end } = createTextFlow(shape);
  return `${push(text)}${end()}`.split("\n");
}

it.each([
  ["● Edit", " ● Edit"],
  ["\ufe0f● Edit", " \ufe0f● Edit"],
  ["\u0301▲ May it", " \u0301▲ May it"],
  ["── ──", " ── ──"],
  ["a ● b", "a ● b"],
  ["- a list", "- a list"],
])("shows the line %j as %j", (text, shown) => {
  expect(flow(text, style(40))).toEqual([shown]);
  expect(flow(text, style(Number.POSITIVE_INFINITY))).toEqual([shown]);
});

it.each(["* a", "! a", "+ a", "- a", "> a", "x a", "---"])("indents %j where our marks are ASCII", (text) => {
  expect(flow(text, style(40, true))).toEqual([` ${text}`]);
});

it("lets no row begin like one of our lines, wherever a line is wrapped", () => {
  expect(flow("aaaaaaaaa ● Edit", style(10))).toEqual(["aaaaaaaaa", " ● Edit"]);
  expect(flow("aaaaaaaaaa●aaaaaaaaa✗", style(10))).toEqual(["aaaaaaaaaa", " ●aaaaaaaa", "a✗"]);
  expect(flow("漢漢漢漢漢✓ Done", style(10))).toEqual(["漢漢漢漢漢", " ✓ Done"]);
});
