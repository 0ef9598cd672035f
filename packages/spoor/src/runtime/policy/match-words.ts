import { fits, globOf, literalOf, meets, NAME } from "./glob.ts";
import type { PatternWord } from "./rule.ts";
import type { ShellWord } from "./shell/word.ts";

/** Returns whether a pattern certainly covers a command, whatever its computed words become. */
export function coversWords(pattern: readonly PatternWord[], words: readonly ShellWord[]): boolean {
  const from = memo(pattern.length, (i, j): boolean => {
    const wanted = pattern[i];
    const word = words[j];
    if (wanted === undefined) return word === undefined;
    if (wanted.rest) return from(i + 1, j) || (word !== undefined && from(i, j + 1));
    if (word === undefined || word.many) return false;
    return (
      (isAnyWord(wanted) ||
        (word.literal !== undefined && wanted.alternatives.some((one) => fits(one, word.literal ?? "")))) &&
      from(i + 1, j + 1)
    );
  });
  return from(0, 0);
}

/**
 * Returns whether a pattern may cover a command. It looks through what does not change a command: the folder and case of
 * its name, and the order and grouping of options. A block (`isOpen`) also covers the command with further words.
 */
export function touchesWords(pattern: readonly PatternWord[], words: readonly ShellWord[], isOpen: boolean): boolean {
  const [first, ...rest] = words;
  if (first === undefined) return false;
  const named = [nameOf(first, pattern[0]), ...rest];
  if (touchesInOrder(pattern, named, isOpen, false)) return true;
  const flags = pattern.slice(1).filter(isFlag);
  if (!flags.every((flag) => hasFlag(flag, rest))) return false;
  const operands = pattern.filter((word, index) => index === 0 || !isFlag(word));
  const given = named.filter(({ glob }, index) => index === 0 || glob[0] !== "-");
  return touchesInOrder(operands, given, isOpen, true);
}

function touchesInOrder(
  pattern: readonly PatternWord[],
  words: readonly ShellWord[],
  isOpen: boolean,
  anyOperand: boolean,
): boolean {
  const from = memo(pattern.length, (i, j): boolean => {
    const wanted = pattern[i];
    const word = words[j];
    if (wanted === undefined) return isOpen || words.slice(j).every(({ many }) => many);
    if (wanted.rest) return from(i + 1, j) || (word !== undefined && from(i, j + 1));
    if (word === undefined) return false;
    if (word.many && (from(i, j + 1) || from(i + 1, j))) return true;
    if ((isAnyWord(wanted) || word.many || canBe(wanted, word)) && from(i + 1, j + 1)) return true;
    // One of several operands is enough for a pattern such as /**.
    return anyOperand && isOpen && i > 0 && i === pattern.length - 1 && !isPlain(wanted) && from(i, j + 1);
  });
  return from(0, 0);
}

const canBe = ({ alternatives }: PatternWord, { glob, literal }: ShellWord): boolean =>
  alternatives.some((one) => (literal === undefined ? meets(one, glob) : fits(one, literal)));
const isAnyWord = ({ alternatives: [one], text }: PatternWord): boolean =>
  text === "*" && one?.length === 1 && one[0] === NAME;
const isPlain = ({ alternatives }: PatternWord): boolean =>
  alternatives.every((one) => literalOf(one) !== undefined && !one.includes("/"));
const isFlag = ({ alternatives, rest }: PatternWord): boolean =>
  !rest && alternatives.every((one) => one[0] === "-" && one.length > 1);

/** A rule about `rm` is about `/bin/RM`, too. */
function nameOf(word: ShellWord, pattern: PatternWord | undefined): ShellWord {
  if (pattern?.alternatives.some((one) => one.includes("/"))) return word;
  const lower = word.glob.map((token) => (typeof token === "string" ? token.toLowerCase() : token));
  const glob = lower.slice(lower.lastIndexOf("/") + 1);
  return { ...word, glob, literal: literalOf(glob) };
}

/** Long names of common short options. */
const longNames: Readonly<Record<string, readonly string[]>> = {
  r: ["--recursive", "--dereference-recursive"],
  R: ["--recursive"],
  f: ["--force", "--force-with-lease", "--force-if-includes"],
  a: ["--all"],
  d: ["--delete"],
  D: ["--delete"],
  i: ["--in-place", "--interactive"],
  m: ["--message"],
  n: ["--dry-run", "--no-verify"],
};

function hasFlag({ alternatives }: PatternWord, words: readonly ShellWord[]): boolean {
  if (words.some(({ many, glob }) => many || (glob[0] === "-" && literalOf(glob) === undefined))) return true;
  const given = words.map(({ literal }) => literal ?? "").filter((text) => text.startsWith("-"));
  return alternatives.some((glob) => {
    const flag = literalOf(glob);
    if (flag === undefined) return given.some((text) => meets(glob, globOf(text)));
    if (flag.startsWith("--")) {
      const short = Object.keys(longNames).filter((letter) => longNames[letter]?.includes(flag));
      return given.some((text) => isLong(text, flag) || short.some((letter) => inGroup(text, letter)));
    }
    return [...flag.slice(1)].every((letter) =>
      given.some((text) => inGroup(text, letter) || (longNames[letter] ?? []).some((long) => isLong(text, long))),
    );
  });
}

/** Programs accept the beginning of a long option. */
function isLong(text: string, flag: string): boolean {
  const name = text.split("=")[0] ?? "";
  return name.length > 3 && flag.startsWith(name);
}

const inGroup = (text: string, letter: string): boolean =>
  /^-[^-]/.test(text) && (text.includes(letter, 1) || (letter === "r" && text.includes("R", 1)));

function memo(width: number, step: (i: number, j: number) => boolean): (i: number, j: number) => boolean {
  const known = new Map<number, boolean>();
  return (i, j) => {
    const key = j * (width + 1) + i;
    let found = known.get(key);
    if (found === undefined) {
      found = step(i, j);
      known.set(key, found);
    }
    return found;
  };
}
