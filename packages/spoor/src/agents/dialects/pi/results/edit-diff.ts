import { diffOfHunks, type Hunk, unifiedDiff } from "../../../diff.ts";
import { asText, type Json } from "../../../json-machine.ts";

/** The unified diff of an edit, from whichever of its three forms the agent gives. */
export function editDiff(path: string, details: Json): string | undefined {
  const patch = asText(details.patch);
  if (patch) return patch.replace(/^--- .*\n\+\+\+ .*\n/, diffOfHunks(path, []));
  const [before, after] = [asText(details.oldText), asText(details.newText)];
  if (before !== undefined && after !== undefined) return unifiedDiff(path, before, after);
  const hunks = hunksOf(asText(details.diff) ?? "");
  return hunks.length > 0 ? diffOfHunks(path, hunks) : undefined;
}

/**
 * Hunks of a diff made for reading: `+12 text`, each line with its number, removed and kept lines that of the old file,
 * and `...` for what is left out.
 */
function hunksOf(diff: string): Hunk[] {
  const hunks: (Hunk & { lines: string[] })[] = [];
  let open: (typeof hunks)[number] | undefined;
  let added = 0;
  for (const line of diff.split("\n")) {
    const [, mark, number, text] = /^([ +-]) *(\d+)[ |](.*)$/.exec(line) ?? [];
    if (mark === undefined) {
      open = undefined;
      continue;
    }
    if (!open) {
      const old = mark === "+" ? Number(number) - added : Number(number);
      open = { oldStart: old, oldLines: 0, newStart: old + added, newLines: 0, lines: [] };
      hunks.push(open);
    }
    open.lines.push(`${mark}${text}`);
    if (mark !== "+") open.oldLines += 1;
    if (mark !== "-") open.newLines += 1;
    added += mark === "+" ? 1 : mark === "-" ? -1 : 0;
  }
  return hunks;
}
