import { expect, test } from "vitest";
import { plainWords } from "./plain-words.ts";

test.each([
  ["**Done.** It works.", "Done. It works."],
  ["Fixed in **src/calc.js** and **`add()`**.", "Fixed in src/calc.js and `add()`."],
  ["Use `2 ** 3` and `**kwargs`, or 2 ** 3.", "Use `2 ** 3` and `**kwargs`, or 2 ** 3."],
  ["It is so:\n\n- **a**: one\n* b\n\n1. first", "It is so: • a: one • b 1. first"],
  ["## Head\n> quoted\ntext", "Head quoted text"],
  ["Before\n\n```js\nadd(2, 3);\n```\n\nafter", "Before … after"],
  ["Before\n~~~\nnever closed\nmore", "Before …"],
  ["", ""],
])("the words of %j in one line", (markdown, words) => expect(plainWords(markdown)).toBe(words));

// Reading any of them in quadratic time would run into the time limit of the test.
test.each(["*", "`", "```\n", "- "])("a very long text of %j is read", (marks) => {
  expect(plainWords(marks.repeat(5e5)).length).toBeLessThanOrEqual(marks.length * 5e5);
});
