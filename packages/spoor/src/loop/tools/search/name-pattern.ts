/** Returns whether a path fits. It takes time proportional to the product of both lengths, never more. */
export type NamePattern = (path: string) => boolean;

/**
 * Reads a pattern of file names: `*` and `?` inside a name, `**` for any folders, `[a-z]`, `{a,b}`. A pattern without a slash
 * is about names in all folders. Throws a sentence if it cannot be read.
 */
export function namePattern(written: string): NamePattern {
  const alternatives = expand(written.replace(/^\.?\//, "")).map((text) => {
    const parts = text.split("/").filter((part) => part !== "");
    if (parts.length === 1 && parts[0] !== "**") parts.unshift("**");
    return parts.map((part) => (part === "**" ? ANY_FOLDERS : tokensOf(part)));
  });
  return (path) => {
    const names = path.split("/").map((name) => [...name]);
    return alternatives.some((parts) => fitsAll(parts, names));
  };
}

type Token = typeof STAR | ((character: string) => boolean);
const STAR = Symbol("any text");
const ANY_FOLDERS = Symbol("any folders");
type Part = typeof ANY_FOLDERS | readonly Token[];

const MAX_ALTERNATIVES = 64;

/** Expands `{a,b}` from the outside to the inside. */
function expand(text: string): string[] {
  const results: string[] = [];
  const todo = [text];
  while (todo.length > 0) {
    if (todo.length + results.length > MAX_ALTERNATIVES)
      throw new Error("The pattern has too many alternatives in {}.");
    const next = todo.shift() as string;
    const found = braces(next);
    if (!found) results.push(next);
    else todo.push(...found.options.map((option) => next.slice(0, found.start) + option + next.slice(found.end)));
  }
  return results;
}

function braces(text: string): { start: number; end: number; options: string[] } | undefined {
  const start = text.indexOf("{");
  if (start === -1) return undefined;
  const options: string[] = [];
  let [depth, from] = [0, start + 1];
  for (let at = start; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === "{") depth += 1;
    else if (character === "}") depth -= 1;
    if ((character === "," && depth === 1) || depth === 0) {
      options.push(text.slice(from, at));
      from = at + 1;
    }
    if (depth === 0) return { start, end: at + 1, options };
  }
  throw new Error("The pattern has a { without its }.");
}

function tokensOf(part: string): Token[] {
  const tokens: Token[] = [];
  const characters = [...part];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] as string;
    if (character === "*") {
      if (tokens.at(-1) !== STAR) tokens.push(STAR);
    } else if (character === "?") tokens.push(() => true);
    else if (character === "[") {
      const end = characters.indexOf("]", at + 2);
      if (end === -1) throw new Error("The pattern has a [ without its ].");
      tokens.push(classOf(characters.slice(at + 1, end)));
      at = end;
    } else if (character === "\\") {
      at += 1;
      tokens.push(literal(characters[at] ?? "\\"));
    } else tokens.push(literal(character));
  }
  return tokens;
}

const literal =
  (wanted: string): Token =>
  (character) =>
    character === wanted;

function classOf(inside: readonly string[]): Token {
  const isNot = inside[0] === "!" || inside[0] === "^";
  const ranges: [string, string][] = [];
  for (let at = isNot ? 1 : 0; at < inside.length; at += 1) {
    const from = inside[at] as string;
    const isRange = inside[at + 1] === "-" && at + 2 < inside.length;
    ranges.push([from, isRange ? (inside[at + 2] as string) : from]);
    if (isRange) at += 2;
  }
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== isNot;
}

/** Goes back only to the last `**`, which is enough: what fits before it stays fitting. */
const fitsAll = (parts: readonly Part[], names: readonly (readonly string[])[]): boolean =>
  wildcard(
    parts,
    names,
    (part) => part === ANY_FOLDERS,
    (part, name) => part !== ANY_FOLDERS && fitsName(part, name),
  );

const fitsName = (tokens: readonly Token[], name: readonly string[]): boolean =>
  wildcard(
    tokens,
    name,
    (token) => token === STAR,
    (token, character) => token !== STAR && token(character),
  );

function wildcard<Pattern, Item>(
  pattern: readonly Pattern[],
  items: readonly Item[],
  isMany: (one: Pattern) => boolean,
  fits: (one: Pattern, item: Item) => boolean,
): boolean {
  let [at, place] = [0, 0];
  let [star, retry] = [-1, 0];
  while (place < items.length) {
    const one = pattern[at];
    if (at < pattern.length && isMany(one as Pattern)) {
      [star, retry] = [at, place];
      at += 1;
    } else if (at < pattern.length && fits(one as Pattern, items[place] as Item)) {
      at += 1;
      place += 1;
    } else if (star >= 0) {
      retry += 1;
      [at, place] = [star + 1, retry];
    } else return false;
  }
  while (at < pattern.length && isMany(pattern[at] as Pattern)) at += 1;
  return at === pattern.length;
}
