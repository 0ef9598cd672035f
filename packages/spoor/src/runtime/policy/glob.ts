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

/** Returns whether some text fits both. It takes time proportional to the product of both lengths, never more. */
export function meets(a: Glob, b: Glob): boolean {
  // Each row tells, for one place in `a`, from which places in `b` the rest of both can fit. Rows are made from the end.
  let next = new Uint8Array(0);
  for (let i = a.length; i >= 0; i--) {
    const row = new Uint8Array(b.length + 1);
    const x = a[i];
    for (let j = b.length; j >= 0; j--) row[j] = canFit(x, b[j], j, row, next) ? 1 : 0;
    next = row;
  }
  return next[0] === 1;
}

/** `right` and `below` are the places after one token of `b` and of `a`. */
function canFit(
  x: GlobToken | undefined,
  y: GlobToken | undefined,
  j: number,
  row: Uint8Array,
  next: Uint8Array,
): boolean {
  if (x === undefined && y === undefined) return true;
  const [right, below, both] = [row[j + 1] === 1, next[j] === 1, next[j + 1] === 1];
  if (x === NOT_DOT) return y !== "." && below;
  if (y === NOT_DOT) return x !== "." && right;
  if (isMany(x) && (below || (y !== undefined && covers(x, y) && right))) return true;
  if (isMany(y) && (right || (x !== undefined && covers(y, x) && below))) return true;
  if (x === undefined || y === undefined || isMany(x) || isMany(y)) return false;
  return isSame(x, y) && both;
}

interface Compiled {
  expression: RegExp;
  /** The longest text without unknown places. What does not hold it cannot fit, which is quick to see. */
  part: string;
}

const compiled = new WeakMap<Glob, Compiled>();

/** Returns whether a text fits a pattern. */
export function fits(pattern: Glob, text: string): boolean {
  // An expression is faster, but its time can grow with a high power of the length.
  if (text.length > 300) return meets(pattern, [...text]);
  let known = compiled.get(pattern);
  if (known === undefined) {
    known = { expression: new RegExp(`^${pattern.map(source).join("")}$`, "su"), part: longestPart(pattern) };
    compiled.set(pattern, known);
  }
  return text.includes(known.part) && known.expression.test(text);
}

function longestPart(pattern: Glob): string {
  const parts = pattern
    .map((token) => (typeof token === "string" ? token : "\0"))
    .join("")
    .split("\0");
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), "");
}

const source = (token: GlobToken): string => {
  if (typeof token === "string") return token.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return token === ANY ? ".*" : token === NAME ? "[^/]*" : token === ONE ? "[^/]" : "(?!\\.)";
};

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
