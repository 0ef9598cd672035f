import type { ShellWord } from "./word.ts";

/**
 * Returns the option that a command uses, or an empty text if a computed word may be one, or undefined. Short options are
 * found in groups, and long ones by their beginning, as programs accept them.
 */
export function usesOption(args: readonly ShellWord[], options: readonly string[]): string | undefined {
  for (const { literal, glob } of args) {
    if (literal === undefined) {
      // A computed word can be an option, unless it begins like something else.
      const start = glob.findIndex((token) => typeof token !== "string");
      const known = glob.slice(0, start).join("");
      if (known === "" || (known.startsWith("-") && !known.includes("="))) return "";
      if (known.startsWith("-") && options.some((option) => isOption(known, option))) return known;
      continue;
    }
    const found = options.find((option) => isOption(literal, option));
    if (found !== undefined) return literal;
  }
  return undefined;
}

/** Returns the values of options that are given as `-o value`, `-ovalue`, `--output value` or `--output=value`. */
export function optionValues(args: readonly ShellWord[], options: readonly string[]): ShellWord[] {
  const found: ShellWord[] = [];
  for (const [index, { literal, glob, many }] of args.entries()) {
    const text = literal ?? glob.filter((token) => typeof token === "string").join("");
    for (const option of options) {
      const next = args[index + 1];
      const equals = glob.indexOf("=");
      const cut = (start: number): ShellWord => {
        const rest = glob.slice(start);
        return { glob: rest, literal: literal?.slice(start), many };
      };
      if (option.startsWith("--")) {
        if (!isOption(text, option)) continue;
        if (equals > 0) found.push(cut(equals + 1));
        else if (next) found.push(next);
      } else if (text === option || (/^-\w+$/.test(text) && text.endsWith(option.slice(1)))) {
        if (next) found.push(next);
      } else if (text.startsWith(option)) found.push(cut(option.length));
    }
  }
  return found;
}

function isOption(text: string, option: string): boolean {
  if (option.startsWith("--")) {
    const name = text.split("=")[0] ?? "";
    return name.length > 3 && name.startsWith("--") && option.startsWith(name);
  }
  if (option.length === 2 && option.startsWith("-")) {
    return /^-[A-Za-z0-9]/.test(text) && !text.startsWith("--") && text.includes(option[1] ?? "", 1);
  }
  return text.startsWith(option);
}
