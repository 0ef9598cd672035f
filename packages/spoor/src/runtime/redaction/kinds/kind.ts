import { type CharacterClass, charactersOf, type RunPart, type Shape, type TextPart } from "../shape.ts";

/** A kind of secret: its shape, with examples for the tests. */
export interface Kind extends Shape {
  /** Makes a text with such a secret. `random` returns a float in [0, 1). */
  example(random: () => number): Example;
  /** A text that looks similar and contains no secret. */
  readonly not: string;
}

/** A secret and the text around it. */
export interface Example {
  before: string;
  secret: string;
  after: string;
}

export const DIGITS = "0123456789";
export const LOWER = "abcdefghijklmnopqrstuvwxyz";
export const UPPER = LOWER.toUpperCase();
export const ALPHANUMERIC = DIGITS + LOWER + UPPER;
export const WORD = `${ALPHANUMERIC}_-`;
export const HEX = `${DIGITS}abcdef`;
export const HEXES = `${HEX}ABCDEF`;
export const BASE64 = `${ALPHANUMERIC}+/=`;
/** Characters between a name and its value, in code, headers and JSON inside JSON. */
export const BETWEEN = " \t\"'`\\:=>,";
const PRINTABLE = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join("");

/** Printable ASCII characters, without these. */
export const printableBut = (members: string): string =>
  [...PRINTABLE].filter((member) => !members.includes(member)).join("");

export const text = (...any: string[]): TextPart => ({ kind: "text", any });

export const run = (members: string, min: number, max: number): RunPart => ({
  kind: "run",
  chars: charactersOf(members),
  min,
  max,
});

/** Printable characters, including all that are not ASCII, without these. */
export const without = (members: string): CharacterClass => charactersOf(printableBut(members), true);

export const alone = (secret: string): Example => ({ before: "", secret, after: "" });

/** A random text with letters or digits at both ends and at least one of each, as nearly every key has. */
export function pick(members: string, length: number, random: () => number): string {
  const letters = [...members].filter((member) => ALPHANUMERIC.includes(member));
  const body = Array.from({ length }, (_, index) => {
    const from = index === 0 || index === length - 1 ? letters : members;
    return from[Math.floor(random() * from.length)] as string;
  });
  body[1] = [...DIGITS].find((digit) => members.includes(digit)) ?? "2";
  body[2] = letters.find((letter) => !DIGITS.includes(letter)) ?? "7";
  return body.join("");
}

export const oneOf = <Item>(items: readonly Item[], random: () => number): Item =>
  items[Math.floor(random() * items.length)] as Item;

export const uuid = (random: () => number): string =>
  [8, 4, 4, 4, 12].map((length) => pick(HEX, length, random)).join("-");
