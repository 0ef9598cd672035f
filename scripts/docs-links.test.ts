import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.dirname(import.meta.dirname);
const pages = globSync(["*.md", "docs/*.md"], { cwd: root });
const read = (page: string): string => readFileSync(path.join(root, page), "utf8");
const anchors = new Map(pages.map((page) => [page, anchorsOf(read(page))]));

it.each(pages)("every link in %s leads to a file, and to a heading of its page", (page) => {
  const links = [...read(page).matchAll(/\]\((?!\w+:)([^)\s#]*)(?:#([^)\s]+))?\)/g)];
  const broken = links.flatMap(([, file = "", anchor]) => {
    const target = file === "" ? page : path.join(path.dirname(page), file);
    if (globSync(target, { cwd: root }).length === 0) return [file];
    return anchor === undefined || anchors.get(target)?.has(anchor) ? [] : [`${file}#${anchor}`];
  });
  expect(broken).toEqual([]);
});

it("every file that ARCHITECTURE.md names exists", () => {
  const files = globSync(["packages/**/*", "scripts/*", "conformance/**/*"], {
    cwd: root,
    exclude: ["**/node_modules", "**/dist"],
  });
  const named = [...read("ARCHITECTURE.md").matchAll(/`(\w[\w./-]*\.(?:ts|tsx|mjs|json))`/g)].map(
    ([, name = ""]) => name,
  );
  expect(named.length).toBeGreaterThan(50);
  const known = ["biome.json", ...files.map((file) => `/${file}`)];
  const isThere = (name: string) => known.some((file) => file === name || file.endsWith(`/${name}`));
  expect(named.filter((name) => !isThere(name))).toEqual([]);
});

/** The anchors of a page: those that it sets itself, and those that GitHub makes of its headings. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
  return new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)"/g)].map(([, id = ""]) => id)]);
}
