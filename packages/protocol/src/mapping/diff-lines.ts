/** How many lines a change adds and removes. */
export interface LineCounts {
  readonly additions: number;
  readonly deletions: number;
}

/** A line of a unified diff: the name of a file (`#`), the head of a hunk, an added line, a removed line, or any other. */
export interface DiffLine {
  readonly sign: "#" | "@" | "+" | "-" | " ";
  readonly text: string;
}

/**
 * Yields the lines of a unified diff. The head of a hunk says how many lines follow, so there `--- x` is the removed line
 * `-- x`. Some agents print signed lines without such a head; there it is the name of a file.
 */
export function* diffLinesOf(diff: string): Generator<DiffLine> {
  let [oldLeft, newLeft] = [0, 0];
  for (let at = 0, end = 0; at < diff.length; at = end + 1) {
    end = diff.indexOf("\n", at);
    if (end === -1) end = diff.length;
    const text = diff.slice(at, end);
    const isInHunk = oldLeft > 0 || newLeft > 0;
    const hunk = isInHunk ? null : HUNK.exec(text);
    if (hunk) [oldLeft, newLeft] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
    if (!isInHunk && NAME.test(text)) {
      yield { sign: "#", text };
      continue;
    }
    const first = text[0];
    const sign = first === "+" || first === "-" ? first : first === "@" && !isInHunk ? "@" : " ";
    if (isInHunk && first !== "\\") {
      if (sign !== "+") oldLeft -= 1;
      if (sign !== "-") newLeft -= 1;
    }
    yield { sign, text };
  }
}

/** Counts the lines that a unified diff adds and removes. */
export function countDiff(diff: string): LineCounts {
  let [additions, deletions] = [0, 0];
  for (const { sign } of diffLinesOf(diff)) {
    if (sign === "+") additions += 1;
    if (sign === "-") deletions += 1;
  }
  return { additions, deletions };
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const NAME = /^(\+\+\+|---) /;
