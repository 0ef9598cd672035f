import type { DiffHunk, DiffLine } from "./parse-diff.ts";

/** A row of the table: one line, which knows the line it replaces, or one line on each side. */
export type DiffRow =
  | { readonly kind: "line"; readonly line: DiffLine; readonly partner?: DiffLine }
  | { readonly kind: "pair"; readonly old?: DiffLine; readonly new?: DiffLine };

export type DiffLayout = "unified" | "split";

/** The rows of one hunk. */
export const rowsOf = (hunk: DiffHunk, layout: DiffLayout): DiffRow[] =>
  layout === "unified" ? unified(hunk) : split(hunk);

function unified(hunk: DiffHunk): DiffRow[] {
  const rows: DiffRow[] = [];
  for (const block of blocksOf(hunk.lines)) {
    if ("line" in block) {
      rows.push({ kind: "line", line: block.line });
      continue;
    }
    const { removed, added } = block;
    // Blocks of different length have no obvious pairs: marking words would mislead.
    const isPaired = removed.length === added.length;
    for (const [own, other] of [
      [removed, added],
      [added, removed],
    ] as const) {
      for (const [index, line] of own.entries()) {
        const partner = isPaired ? other[index] : undefined;
        rows.push({ kind: "line", line, ...(partner && { partner }) });
      }
    }
  }
  return rows;
}

function split(hunk: DiffHunk): DiffRow[] {
  return blocksOf(hunk.lines).flatMap((block): DiffRow[] => {
    if ("line" in block) return [{ kind: "pair", old: block.line, new: block.line }];
    const { removed, added } = block;
    return Array.from({ length: Math.max(removed.length, added.length) }, (_, index) => {
      const [old, next] = [removed[index], added[index]];
      return { kind: "pair", ...(old && { old }), ...(next && { new: next }) };
    });
  });
}

type Block = { readonly line: DiffLine } | { readonly removed: DiffLine[]; readonly added: DiffLine[] };

/** Equal lines one by one; removed lines together with the added lines that follow them. */
function blocksOf(lines: readonly DiffLine[]): Block[] {
  const blocks: Block[] = [];
  for (const line of lines) {
    const last = blocks.at(-1);
    if (line.sign === " ") blocks.push({ line });
    else if (last && "removed" in last && !(line.sign === "-" && last.added.length > 0))
      (line.sign === "-" ? last.removed : last.added).push(line);
    else blocks.push(line.sign === "-" ? { removed: [line], added: [] } : { removed: [], added: [line] });
  }
  return blocks;
}
