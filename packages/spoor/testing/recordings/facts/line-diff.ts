/**
 * The lines in which two texts differ, removed ones with `-` and added ones with `+`, by a plain table of the longest
 * common lines.
 */
export function lineDiff(before: string, after: string): string[] {
  const old = linesOf(before);
  const now = linesOf(after);
  const common = old.map(() => now.map(() => 0));
  const at = (row: number, column: number) => common[row]?.[column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = now.length - 1; column >= 0; column -= 1) {
      const best = Math.max(at(row + 1, column), at(row, column + 1));
      (common[row] as number[])[column] = old[row] === now[column] ? at(row + 1, column + 1) + 1 : best;
    }
  }
  const lines: string[] = [];
  let row = 0;
  let column = 0;
  while (row < old.length || column < now.length) {
    if (row < old.length && column < now.length && old[row] === now[column]) {
      row += 1;
      column += 1;
    } else if (row < old.length && (column >= now.length || at(row + 1, column) >= at(row, column + 1))) {
      lines.push(`-${old[row]}`);
      row += 1;
    } else {
      lines.push(`+${now[column]}`);
      column += 1;
    }
  }
  return lines;
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
