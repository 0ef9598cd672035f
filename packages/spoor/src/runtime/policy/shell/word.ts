import { ANY, type Glob, type GlobToken, literalOf, NAME, NOT_DOT, ONE } from "../glob.ts";
import { readAnsiC } from "./ansi-c.ts";
import type { Node } from "./parser.ts";

/** One word of a command after quotes, braces, `~` and known variables are resolved. */
export interface ShellWord {
  glob: Glob;
  /** The exact text, if nothing in it is computed when the command runs. */
  literal: string | undefined;
  /** The word can become several words, or none: it holds an unquoted variable, substitution or wildcard. */
  many: boolean;
}

/** Values of variables that are known while a text is read. */
export type Variables = ReadonlyMap<string, ShellWord>;

/** The tree and the text disagree about a word, or it is too odd to judge. */
export class Unreadable extends Error {}

export const wordOf = (text: string): ShellWord => ({ glob: [...text], literal: text, many: false });

/** A word, or several, that only exist when the command runs. */
export const unknownWord = (many: boolean): ShellWord => ({ glob: [ANY], literal: undefined, many });

interface Token {
  token: GlobToken;
  quoted: boolean;
  many?: boolean;
}

const expansions = [
  "simple_expansion",
  "expansion",
  "command_substitution",
  "arithmetic_expansion",
  "process_substitution",
];

/**
 * Reads a word from its source text by the rules of bash. The tree only says where expansions are: if the text has one
 * that the tree does not, the word is unreadable, and nothing that holds it is judged by a pattern.
 */
export function readWords(node: Node, text: string, variables: Variables, home: string): ShellWord[] {
  // A comment begins here, which the tree has as a word.
  if (node.text.startsWith("#")) throw new Unreadable();
  const tokens = tokensOf(node, text, variables, home);
  const expanded = expandBraces(tokens);
  // An empty choice of braces makes no word at all.
  if (expanded.length > 1 && expanded.some((word) => word.length === 0)) throw new Unreadable();
  return expanded.map((word) => {
    const glob = word.map(({ token }) => token);
    return { glob, literal: literalOf(glob), many: word.some((token) => token.many === true) };
  });
}

function tokensOf(node: Node, text: string, variables: Variables, home: string): Token[] {
  const starts = new Map<number, Node>();
  for (const found of [node, ...node.descendantsOfType(expansions)]) {
    if (found && expansions.includes(found.type) && !starts.has(found.startIndex)) starts.set(found.startIndex, found);
  }
  const tokens: Token[] = [];
  const push = (value: string, quoted: boolean): void => {
    for (const token of value) tokens.push({ token, quoted });
  };
  const isAtSegment = (): boolean => tokens.length === 0 || tokens.at(-1)?.token === "/";
  const isAtStart = (): boolean => tokens.length === 0;
  // bash also expands `~` in words that look like assignments, and in lists after them.
  const isInAssignment = (): boolean =>
    /^\w+=(.*:)?$/s.test(
      tokens.map(({ token, quoted }) => (quoted || typeof token !== "string" ? "." : token)).join(""),
    );
  let inDouble = false;
  let at = node.startIndex;
  while (at < node.endIndex) {
    const expansion = starts.get(at);
    if (expansion) {
      tokens.push(...expand(expansion, inDouble, variables));
      at = expansion.endIndex;
      continue;
    }
    const char = text[at] ?? "";
    const next = text[at + 1] ?? "";
    const after = text.slice(at + 1, node.endIndex);
    at += 1;
    if (char === '"') inDouble = !inDouble;
    else if (char === "`" || (char === "$" && (inDouble ? /^[\w({@*#?!$-]/ : /^[\w({@*#?!$[-]/).test(after)))
      throw new Unreadable();
    else if (char === "\\") {
      if (inDouble && !'$`"\\\n'.includes(next)) push("\\", true);
      else {
        if (next !== "\n") push(next, true);
        at += 1;
      }
    } else if (inDouble) push(char, true);
    else if (char === "$" && next === '"') continue;
    else if (char === "$" && next === "'") {
      const { value, length } = readAnsiC(after.slice(1));
      push(value, true);
      at += length + 1;
    } else if (char === "'") {
      const end = text.indexOf("'", at);
      if (end < 0 || end >= node.endIndex) throw new Unreadable();
      push(text.slice(at, end), true);
      at = end + 1;
    } else if (/[\s;&|<>()]/.test(char)) throw new Unreadable();
    else if (char === "~" && (isAtStart() || isInAssignment())) {
      const user = /^[^/]*/.exec(after)?.[0] ?? "";
      if (user === "") push(home, true);
      else tokens.push({ token: ANY, quoted: false });
      at += user.length;
    } else if (char === "*" || char === "?") {
      if (isAtSegment()) tokens.push({ token: NOT_DOT, quoted: false });
      tokens.push({ token: char === "*" ? NAME : ONE, quoted: false, many: true });
      // A shell option lets ** cross folders.
      if (char === "*" && next === "*") tokens.push({ token: ANY, quoted: false, many: true });
    } else if (char === "[" && node.endIndex - node.startIndex > 2 && after.includes("]")) {
      if (/["'\\$`{]/.test(after.slice(0, after.indexOf("]") + 1))) throw new Unreadable();
      if (isAtSegment()) tokens.push({ token: NOT_DOT, quoted: false });
      tokens.push({ token: ONE, quoted: false, many: true });
      // A bracket after the first can close the set, too: `[]a]`.
      const close = after.indexOf("]", after.startsWith("]") || /^[!^]\]/.test(after) ? 2 : 0);
      if (close < 0) throw new Unreadable();
      at += close + 1;
    } else push(char, false);
  }
  if (inDouble) throw new Unreadable();
  // bash has rules of its own for empty braces beside others.
  const bare = tokens.map(({ token, quoted }) => (quoted || typeof token !== "string" ? "." : token)).join("");
  if (bare.includes("{}") && bare.includes(",")) throw new Unreadable();
  return tokens;
}

function expand(node: Node, quoted: boolean, variables: Variables): Token[] {
  const name = /^\$(?:(\w+)|\{(\w+)\})$/.exec(node.text);
  const value = variables.get(name?.[1] ?? name?.[2] ?? "");
  if (value === undefined || (node.type !== "simple_expansion" && node.type !== "expansion")) {
    // Quoted, it is one word, except for lists of arguments and array elements.
    return [{ token: ANY, quoted, many: !quoted || /[@*!]/.test(node.text) }];
  }
  // Unquoted, a value with spaces becomes several words, and an empty one becomes none.
  if (!quoted && (value.glob.length === 0 || /[\s*?[\\]/.test(value.literal ?? "")))
    return [{ token: ANY, quoted, many: true }];
  return value.glob.map((token) => ({ token, quoted: true, ...(value.many && !quoted && { many: true }) }));
}

/** Expands `{a,b}` as bash does. A sequence such as `{1..9}` stays unknown. */
function expandBraces(tokens: readonly Token[]): (readonly Token[])[] {
  const isBrace = (at: number, char: string): boolean => tokens[at]?.token === char && tokens[at]?.quoted === false;
  for (let open = 0; open < tokens.length; open++) {
    if (!isBrace(open, "{")) continue;
    const commas = [open];
    let depth = 0;
    for (let at = open; at < tokens.length; at++) {
      if (isBrace(at, "{")) depth += 1;
      if (isBrace(at, ",") && depth === 1) commas.push(at);
      if (isBrace(at, "}")) depth -= 1;
      if (depth > 0) continue;
      const inside = tokens.slice(open + 1, at);
      if (commas.length === 1) {
        if (!/\.\./.test(inside.map(({ token }) => (typeof token === "string" ? token : "")).join(""))) break;
        const unknown: Token = { token: ANY, quoted: false, many: true };
        return expandBraces([...tokens.slice(0, open), unknown, ...tokens.slice(at + 1)]);
      }
      const ends = [...commas.slice(1), at];
      const expanded = commas.flatMap((start, index) =>
        expandBraces([...tokens.slice(0, open), ...tokens.slice(start + 1, ends[index]), ...tokens.slice(at + 1)]),
      );
      if (expanded.length > 64) throw new Unreadable();
      return expanded;
    }
  }
  return [tokens];
}
