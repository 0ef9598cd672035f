/** The text of a page as Markdown. It runs in a thread of its own, because a page can take any time. */
export async function markdownOf({ html, url }: { html: string; url: string }): Promise<string> {
  const { default: Turndown } = await import("turndown");
  const converter = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
  converter.remove(["script", "style", "noscript", "iframe", "template", "object", "embed", "form"] as never);
  converter.remove((node) => node.nodeName.toLowerCase() === "svg");
  converter.addRule("link", {
    filter: (node) => node.nodeName === "A" && node.getAttribute("href") !== null,
    replacement: (content, node) => linkOf(content, attributeOf(node, "href") ?? "", url),
  });
  converter.addRule("image", {
    filter: "img",
    replacement: (_, node) => {
      const text = (attributeOf(node, "alt") ?? "").trim();
      return text === "" ? "" : `[image: ${text}]`;
    },
  });
  const title = /<title[^>]*>([^<]{1,300})/i.exec(html)?.[1]?.trim();
  const text = converter
    .turndown(html)
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
  return title ? `Title: ${title}\n\n${text}` : text;
}

/** Nodes are those of the parser that comes with the converter. */
const attributeOf = (node: unknown, name: string): string | null =>
  (node as { getAttribute(name: string): string | null }).getAttribute(name);

/** Links lead somewhere, or are plain text. */
function linkOf(content: string, href: string, base: string): string {
  const text = content.trim();
  if (text === "" || !URL.canParse(href, base)) return text;
  const { protocol, href: whole } = new URL(href, base);
  return protocol === "http:" || protocol === "https:" ? `[${text}](${whole})` : text;
}
