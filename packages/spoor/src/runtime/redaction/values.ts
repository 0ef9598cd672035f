import { REPLACEMENT_START } from "./found.ts";
import { isPlaceholder, isRandom } from "./kinds/proofs.ts";
import { secretNameOf } from "./names.ts";

/** Values nested deeper are cut, because readers that recurse would overflow their stack. */
const MAX_DEPTH = 1_000;
const TOO_DEEP = "[nested too deep]";

/**
 * Applies a function to every string in a JSON value, including the names of fields. The value of a field whose name is
 * that of a secret is replaced as a whole. Returns the same object when nothing changes.
 */
export function mapTexts(value: unknown, change: (text: string) => string, depth = 0): unknown {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === MAX_DEPTH) return TOO_DEEP;
  if (Array.isArray(value)) {
    const mapped = value.map((item) => mapTexts(item, change, depth + 1));
    return mapped.some((item, index) => item !== value[index]) ? mapped : value;
  }
  const before = Object.entries(value);
  const after = before.map(([name, item]) => {
    const changed = mapTexts(item, change, depth + 1);
    return [change(name), changed === item ? inField(name, item, change, value) : changed] as const;
  });
  const isSame = after.every(([name, item], index) => name === before[index]?.[0] && item === before[index]?.[1]);
  return isSame ? value : Object.fromEntries(after);
}

/** Some secrets are recognised only by the name of their field. */
function inField(name: string, item: unknown, change: (text: string) => string, holder: object): unknown {
  if (typeof item !== "string" && typeof item !== "number") return item;
  const named = name === "value" ? nameIn(holder) : name;
  const kind = named === undefined ? undefined : secretNameOf(named);
  if (named === undefined || kind === undefined) return item;
  if (typeof item === "number") return kind === "password" ? `${REPLACEMENT_START}password]` : item;
  if (isSecretText(item, kind)) return `${REPLACEMENT_START}${kind}]`;
  // Scan the text together with its name, as it appears in JSON.
  const start = `"${named}":"`;
  const changed = change(`${start}${item}"`);
  return changed.startsWith(start) && changed.endsWith('"') ? changed.slice(start.length, -1) : item;
}

/** The name in `{ "name": "DB_PASSWORD", "value": "…" }`. */
function nameIn(holder: object): string | undefined {
  const { name, key } = holder as { name?: unknown; key?: unknown };
  return [name, key].find((text) => typeof text === "string");
}

function isSecretText(text: string, kind: ReturnType<typeof secretNameOf>): boolean {
  if (text === "" || text.includes(REPLACEMENT_START) || isPlaceholder(text)) return false;
  if (kind === "password") return text.length >= 4;
  if (/\s/.test(text)) return false;
  return kind === "secret" ? text.length >= 6 : isRandom(text, 8) || text.length >= 24;
}

type OnText = (path: string, text: string, holder: Record<string, unknown>, name: string) => void;

/** Calls a function for every string in a frame, except for those nested very deep. */
export function walkTexts(holder: Record<string, unknown>, path: string, onText: OnText, depth = 0): void {
  if (depth > 100) return;
  for (const [name, value] of Object.entries(holder)) {
    const here = `${path}/${name}`;
    if (typeof value === "string") onText(here, value, holder, name);
    else if (typeof value === "object" && value !== null) {
      walkTexts(value as Record<string, unknown>, here, onText, depth + 1);
    }
  }
}

/** The paths of all strings that contain a piece of text, such as `input.env.TOKEN` and `output.0.text`. */
export function pathsHolding(value: unknown, piece: string, path = ""): string[] {
  if (typeof value === "string") return value.includes(piece) ? [path] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    const here = path === "" ? name : `${path}.${name}`;
    return [...(name.includes(piece) ? [here] : []), ...pathsHolding(item, piece, here)];
  });
}
