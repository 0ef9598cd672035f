/**
 * Characters that a reader cannot see: controls, marks that reorder, hide or join text, fillers, tags, and runs of variation
 * selectors. Models read them all, so a log could use them to tell an agent what no person sees.
 */
const INVISIBLE = /(?![\n\t]|\r\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|(?![\uFE00-\uFE0F])\p{DI}|[\uFE00-\uFE0F]{2,}/gu;

/** Writes invisible characters as `\u` codes. Line breaks and tabs stay. */
export const visible = (text: string): string =>
  text.replace(INVISIBLE, (found) => found.split("").map(codeOf).join(""));

const codeOf = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** The same for every text of a JSON value, keys too. Fields that are undefined are left out. */
export function visibleIn(value: unknown): unknown {
  if (typeof value === "string") return visible(value);
  if (Array.isArray(value)) return value.map(visibleIn);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(fields.map(([name, each]) => [visible(name), visibleIn(each)]));
}
