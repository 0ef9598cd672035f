/** Marks words in the rows that are mounted, without touching their elements. */
export function highlightWords(root: Element | null, words: string): void {
  const highlights = (CSS as { highlights?: Map<string, unknown> }).highlights;
  if (!highlights || typeof Highlight === "undefined") return;
  const needle = words.trim().toLowerCase();
  if (!root || needle === "") {
    highlights.delete("found");
    return;
  }
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < 2_000; node = walker.nextNode()) {
    const written = node.nodeValue ?? "";
    const text = written.toLowerCase();
    // A few letters become two when they are made small, so places in both texts would differ.
    if (text.length !== written.length) continue;
    for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length)) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + needle.length);
      ranges.push(range);
    }
  }
  highlights.set("found", new Highlight(...ranges));
}
