import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { hostileTexts } from "./hostile-corpus.ts";
import { Markdown } from "./markdown.tsx";
import { splitBlocks } from "./split-blocks.ts";

const html = (text: string, complete = true) => renderToStaticMarkup(createElement(Markdown, { text, complete }));

const allowed = new Set(
  "div p a em strong del code pre figure figcaption button svg path rect span mark br hr section ul ol li wbr blockquote h3 h4 h5 h6 table thead tbody tr th td".split(
    " ",
  ),
);

describe.each(hostileTexts)("%j", (text) => {
  it("becomes known elements only, and loads nothing", () => {
    const markup = html(text);
    for (const [, name = ""] of markup.matchAll(/<([a-z][a-z0-9]*)/g)) expect(allowed).toContain(name);
    expect(markup).not.toMatch(/<[^>]* (?:on\w+|src|srcset|srcdoc)=/);
    for (const [, href = ""] of markup.matchAll(/ href="([^"]*)"/g)) expect(href).toMatch(/^https?:\/\//);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be in the page
    expect(markup).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069]/);
  });

  it("keeps its finished blocks while it streams in", () => {
    const whole = splitBlocks(text, true);
    expect(whole.join("")).toBe(text.replace(/\r\n?/g, "\n"));
    for (let length = 0; length <= Math.min(text.length, 400); length += 1) {
      const part = splitBlocks(text.slice(0, length), false);
      expect(part.slice(0, -1)).toEqual(whole.slice(0, Math.max(0, part.length - 1)));
    }
  });
});

it("shows HTML as text", () => {
  expect(html("a <b>bold</b>\n\n<div>block</div>")).toContain("&lt;b&gt;bold&lt;/b&gt;");
});

it("shows a picture as a link", () => {
  expect(html("![a cat](https://example.com/cat.png)")).toContain(">Picture: a cat<span");
});

it("shows the true host of a link whose text says something else", () => {
  expect(html("[https://bank.example](https://evil.example/)")).toContain("(evil.example)");
  expect(html("[evil.example.bank.com](https://evil.example/)")).toContain("(evil.example)");
  expect(html("https://example.com/path")).not.toContain("(example.com)");
});

it("leaves a link with another protocol as text", () => {
  expect(html("[x](javascript:alert(1))")).toContain("[x](javascript:alert(1))");
});

it("splits text at blank lines, but not fences and loose lists", () => {
  expect(splitBlocks("a\n\nb\n\n- c\n\n- d\n\ne\n\n```\n\nf\n\ng\n```\n\nh", true)).toEqual([
    "a\n\n",
    "b\n\n",
    "- c\n\n- d\n\n",
    "e\n\n",
    "```\n\nf\n\ng\n```\n\n",
    "h",
  ]);
});

it("shows the beginning of a text of millions of characters, and says how much is not shown", () => {
  const markup = html("A".repeat(5_000_000));
  expect(markup.length).toBeLessThan(210_000);
  expect(markup).toContain("4,800,000 more characters of this text are not shown here.");
});
