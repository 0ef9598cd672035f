/** Returns the names most similar to what was typed, best first, or none when nothing is similar enough. */
export function nearest(typed: string, names: readonly string[], most = 3): string[] {
  const wanted = typed.toLowerCase();
  const close = names
    .map((name) => ({ name, far: wanted.length > 2 && name.includes(wanted) ? 1 : distance(wanted, name) }))
    .filter(({ name, far }) => far <= Math.max(1, Math.min(name.length, wanted.length) / 2))
    .sort((a, b) => a.far - b.far);
  const best = close[0]?.far ?? 0;
  return close
    .filter(({ far }) => far <= best + 1)
    .slice(0, most)
    .map(({ name }) => name);
}

/** The Levenshtein distance. Separators count as equal, so `text.delta` equals `text_delta`. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const change = (row[j] as number) + (same(a.charAt(i), b.charAt(j)) ? 0 : 1);
      next.push(Math.min(change, (row[j + 1] as number) + 1, (next[j] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}

const same = (a: string, b: string): boolean => a === b || (separators.includes(a) && separators.includes(b));

const separators = "._-";
