/** Any text, slashes too. */
export const ANY = Symbol("any text");
/** Any text without a slash. */
export const NAME = Symbol("any name");
/** One character that is not a slash. */
export const ONE = Symbol("one character");
/** Nothing, but the next character is not a dot: wildcards of a shell skip hidden files. */
export const NOT_DOT = Symbol("not a dot");

/** A text with unknown places: what a pattern accepts, or what a word of a command can become. */
export type Glob = readonly GlobToken[];
export type GlobToken = string | symbol;

/** Returns whether some text fits both. A literal text fits a pattern if and only if it meets it. */
export function meets(a: Glob, b: Glob): boolean {
  const failed = new Set<number>();
  const width = b.length + 1;
  const from = (i: number, j: number): boolean => {
    const key = i * width + j;
    if (failed.has(key)) return false;
    const found = step(i, j);
    if (!found) failed.add(key);
    return found;
  };
  const step = (i: number, j: number): boolean => {
    const [x, y] = [a[i], b[j]];
    if (x === undefined && y === undefined) return true;
    if (x === NOT_DOT) return y !== "." && from(i + 1, j);
    if (y === NOT_DOT) return x !== "." && from(i, j + 1);
    if (isMany(x) && (from(i + 1, j) || (y !== undefined && covers(x, y) && from(i, j + 1)))) return true;
    if (isMany(y) && (from(i, j + 1) || (x !== undefined && covers(y, x) && from(i + 1, j)))) return true;
    if (x === undefined || y === undefined || isMany(x) || isMany(y)) return false;
    return isSame(x, y) && from(i + 1, j + 1);
  };
  return from(0, 0);
}

/** Returns the text of a glob without unknown places, or undefined if it has some. */
export function literalOf(glob: Glob): string | undefined {
  return glob.every((token) => typeof token === "string") ? glob.join("") : undefined;
}

export const globOf = (text: string): Glob => [...text];

/** Makes a pattern accept letters of the other case and other compositions of accents, too. */
export const folded = (glob: Glob): Glob =>
  glob.flatMap<GlobToken>((token) => (typeof token === "string" ? [...foldText(token)] : [token]));

export const foldText = (text: string): string => text.normalize("NFC").toLowerCase();

/** Shows a glob to people: unknown text is an ellipsis. */
export const showGlob = (glob: Glob): string =>
  glob
    .map((token) => (typeof token === "string" ? token : token === NOT_DOT ? "" : token === ANY ? "…" : "*"))
    .join("");

const isMany = (token: GlobToken | undefined): boolean => token === ANY || token === NAME;

const covers = (many: GlobToken | undefined, token: GlobToken): boolean => many === ANY || token !== "/";

function isSame(x: GlobToken, y: GlobToken): boolean {
  if (x === ONE) return y !== "/";
  if (y === ONE) return x !== "/";
  return x === y;
}
