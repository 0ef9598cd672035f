import { diffHeader, diffOfHunks, type Hunk, hunkOfLines, unifiedDiff } from "../../../kit/diff.ts";
import { asText, type Json } from "../../../kit/json-values.ts";

/** The unified diff of an edit, from any of the three forms that agents send, if there is one. */
export function editDiffs(path: string, details: Json): string[] {
  const patch = asText(details.patch);
  if (patch) return [patch.replace(/^--- .*\n\+\+\+ .*\n/, () => diffHeader(path))];
  const [before, after] = [asText(details.oldText), asText(details.newText)];
  if (before !== undefined && after !== undefined) return [unifiedDiff(path, before, after)];
  const hunks = hunksOf(asText(details.diff) ?? "");
  return hunks.length > 0 ? [diffOfHunks(path, hunks)] : [];
}

/**
 * Hunks of a diff made for people: `+12 text`, each line with its number (removed and kept lines with that of the old
 * file), and `...` for omitted lines.
 */
function hunksOf(diff: string): Hunk[] {
  let added = 0;
  return diff.split(/\n(?![ +-] *\d+[ |])[^\n]*/).flatMap((part) => {
    const lines = [...part.matchAll(/^([ +-]) *(\d+)[ |]([^\n]*)/gm)];
    const [, first, number] = lines[0] ?? [];
    if (first === undefined) return [];
    const start = Number(number) - (first === "+" ? added : 0);
    const signed = lines.map(([, sign, , text]) => `${sign}${text}`);
    const hunk = hunkOfLines(start, start + added, signed);
    added += hunk.newLines - hunk.oldLines;
    return [hunk];
  });
}
