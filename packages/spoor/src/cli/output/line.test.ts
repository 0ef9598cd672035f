import { expect, it } from "vitest";
import { fits, type Line, layout } from "./line.ts";
import type { Style } from "./style.ts";

const style = (columns: number): Style => ({
  ...{ codes: false, isAscii: false, columns, rows: 24 },
  ...{ paint: (_role, text) => text, plain: (text) => text },
});

const facts: Line = [
  "● Explore the callers",
  { text: "subagent", leaves: 3 },
  { text: "6.2 s", join: " · ", leaves: 3 },
  { text: "$0.0021", join: " · ", leaves: 2 },
];

it("leaves second facts out, and begins those that stay without a dot", () => {
  expect(layout(facts, style(80))).toBe("● Explore the callers subagent · 6.2 s · $0.0021");
  expect(layout(facts, style(40))).toBe("● Explore the callers $0.0021");
  expect(layout(facts, style(25))).toBe("● Explore the callers");
});

it("keeps the dot between facts of which one in the middle is left out", () => {
  const line: Line = ["claude", { text: "a-model", join: " · ", leaves: 1 }, { text: "…ABCDEF", join: " · " }];
  expect(layout(line, style(20))).toBe("claude · …ABCDEF");
});

it("tells whether a line is shown whole", () => {
  expect(fits(["▲ needs you:", "rm a"], style(17))).toBe(true);
  expect(fits(["▲ needs you:", "rm a"], style(16))).toBe(false);
  expect(fits(["a".repeat(2_001)], style(Number.POSITIVE_INFINITY))).toBe(false);
});
