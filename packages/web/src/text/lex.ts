import { Lexer, type MarkedToken, type Token } from "marked";

/** The tokens of one block. Text that is too long or too deep to parse is one plain token. */
export function lexBlock(text: string): MarkedToken[] {
  const plain: MarkedToken[] = [{ type: "text", raw: text, text, escaped: false }];
  if (text.length > LONGEST_BLOCK || DEEP.test(text)) return plain;
  try {
    return new Lexer({ gfm: true }).lex(text).filter(isKnown);
  } catch {
    return plain;
  }
}

/** Parsing may take a time that grows with the square of the length. */
const LONGEST_BLOCK = 40_000;

/** Quotes and lists are parsed recursively, and emphasis by looking back. */
const DEEP = /(?:^|\n)[ \t]*(?:>[ \t]?){24}|(?:[*_~[\]!(<`]{3}[^\n]?){200}/;

// No extension is installed, so the lexer makes no generic tokens.
const isKnown = (token: Token): token is MarkedToken => token.type !== "generic";

/** The character that an HTML entity of Markdown stands for. */
export const decodeEntities = (text: string): string =>
  text.replace(
    /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(amp|lt|gt|quot|apos|nbsp|copy|hellip|mdash|ndash));/g,
    (all, decimal, hex, name) => {
      if (name) return entities[name as keyof typeof entities];
      const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
    },
  );

const entities = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  copy: "©",
  hellip: "…",
  mdash: "—",
  ndash: "–",
};
