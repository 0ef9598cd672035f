import { expect, it } from "vitest";
import { terminalSafe } from "./terminal-safe.ts";

it.each([
  ["plain text, ünïcödé 🦶 and\ttabs", "plain text, ünïcödé 🦶 and\ttabs"],
  ["\u001b[2Jgone", "\\u001b[2Jgone"],
  ["\u009b31m", "\\u009b31m"],
  ["a\r\nb", "a\\u000d\\u000ab"],
  ["abc\u202edcb", "abc\\u202edcb"],
  ["zero\u200bwidth", "zero\\u200bwidth"],
  ["\ud800", "\\ud800"],
  ["tag\u{e0041}", "tag\\udb40\\udc41"],
  ["a\u2028b", "a\\u2028b"],
  ["a heart ❤️ and ❤︎", "a heart ❤️ and ❤︎"],
  ["\u034fa\u115f\u1160\u3164\uffa0", "\\u034fa\\u115f\\u1160\\u3164\\uffa0"],
  ["\ufe00\u{e0100}", "\\ufe00\\udb40\\udd00"],
])("shows %j as %j", (text, shown) => {
  expect(terminalSafe(text)).toBe(shown);
});
