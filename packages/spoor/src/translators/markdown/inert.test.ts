import { expect, it } from "vitest";
import { inertMarkdown } from "./inert.ts";

it.each([
  ["# Title\n\n- *one*\n- [two](https://example.com)", "# Title\n\n- *one*\n- [two](https://example.com)"],
  ["`Array<string>` and `![x]`", "`Array<string>` and `![x]`"],
  ["```html\n<img src=x>\n```", "```html\n<img src=x>\n```"],
  ["a < b, 1 <2, <-", "a < b, 1 <2, <-"],
])("keeps text and code: %j", (text, same) => {
  expect(inertMarkdown(text)).toBe(same);
});

it.each([
  ["![x](http://evil.test/a.png)", "!\\[x](http://evil.test/a.png)"],
  ["<img src=x> </b> <!-- a --> <?x", "\\<img src=x> \\</b> \\<!-- a --> \\<?x"],
  ["\\<b> and \\\\<b>", "\\<b> and \\\\\\<b>"],
  ["# a `\nb ![x](u) ` c", "# a `\nb !\\[x](u) ` c"],
  ["a ` | b <img> ` |", "a ` | b \\<img> ` |"],
])("makes text of pictures and tags, also where it is not certain that they are code: %j", (text, inert) => {
  expect(inertMarkdown(text)).toBe(inert);
});

it.each([
  ["````\nopen", "```\nopen\n```"],
  ["- a\n  ```js\n  one\n    two\n  ```\n![x](u)", "- a\n```js\none\n  two\n```\n!\\[x](u)"],
  ["~~~ a|b `\n```\n~~~", "````a\n```\n````"],
])("writes every fence anew, so that nothing leaves it and it hides nothing: %j", (text, inert) => {
  expect(inertMarkdown(text)).toBe(inert);
});

it("takes time that grows with the text", () => {
  const rows = Array.from({ length: 1_400 }, (_, index) => "`".repeat(index + 1)).join(" ");
  expect(inertMarkdown(rows)).toBe(rows);
  expect(inertMarkdown("```\n```\n".repeat(100_000)).length).toBeGreaterThan(100_000);
});
