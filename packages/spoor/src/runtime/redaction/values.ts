/** Deeper than anything means to be; what is below would break whoever reads it by recursion. */
const DEEPEST = 1_000;
const TOO_DEEP = "[nested too deep]";

/** A JSON value with a function applied to every text in it, names of fields too. What does not change stays the same object. */
export function mapTexts(value: unknown, change: (text: string) => string, depth = 0): unknown {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === DEEPEST) return TOO_DEEP;
  if (Array.isArray(value)) {
    const mapped = value.map((item) => mapTexts(item, change, depth + 1));
    return mapped.some((item, index) => item !== value[index]) ? mapped : value;
  }
  const before = Object.entries(value);
  const after = before.map(([name, item]) => {
    const changed = mapTexts(item, change, depth + 1);
    return [
      change(name),
      changed === item && typeof item === "string" ? inField(name, item, change) : changed,
    ] as const;
  });
  const isSame = after.every(([name, item], index) => name === before[index]?.[0] && item === before[index]?.[1]);
  return isSame ? value : Object.fromEntries(after);
}

/** Of some secrets only the name tells: such a text is looked at together with it, as it stands in JSON. */
function inField(name: string, text: string, change: (text: string) => string): string {
  if (!/secret|auth/i.test(name)) return text;
  const start = `"${name}":"`;
  const changed = change(`${start}${text}"`);
  return changed.startsWith(start) && changed.endsWith('"') ? changed.slice(start.length, -1) : text;
}

/** Paths of the texts that hold a piece of text, such as `input.env.TOKEN` and `output.0.text`. */
export function pathsHolding(value: unknown, piece: string, path = ""): string[] {
  if (typeof value === "string") return value.includes(piece) ? [path] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    const here = path === "" ? name : `${path}.${name}`;
    return [...(name.includes(piece) ? [here] : []), ...pathsHolding(item, piece, here)];
  });
}
