/** How many lines of a diff are shown in the conversation. */
const MOST = 24;

/** The beginning of a unified diff. The counts of the last hunk are put right, so that what is left is a diff again. */
export function shortDiff(
  text: string,
  most: number = MOST,
): { text: string; isCut: boolean; shown: number; all: number } {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.startsWith("@@"));
  const body = start === -1 ? [] : lines.slice(start).filter((line) => /^[ +\-\\]/.test(line));
  if (body.length <= most) return { text, isCut: false, shown: body.length, all: body.length };
  const kept: string[] = lines.slice(0, start);
  let left = most;
  for (const line of lines.slice(start)) {
    if (left === 0) break;
    kept.push(line);
    if (/^[ +-]/.test(line)) left -= 1;
  }
  const hunk = kept.findLastIndex((line) => line.startsWith("@@"));
  const own = kept.slice(hunk + 1);
  const old = own.filter((line) => /^[ -]/.test(line)).length;
  const added = own.filter((line) => /^[ +]/.test(line)).length;
  kept[hunk] = (kept[hunk] ?? "").replace(/^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/, `@@ -$1,${old} +$2,${added} @@`);
  return { text: `${kept.join("\n")}\n`, isCut: true, shown: most, all: body.length };
}
