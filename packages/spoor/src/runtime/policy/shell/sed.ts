import type { Parts } from "./parts.ts";
import type { ShellWord } from "./word.ts";

/** Scripts that only print, delete or replace lines. Others can run commands and write files. */
const HARMLESS = [
  /^(\d+|\$)?(,(\d+|\$))?[pdq=]?$/,
  /^\/(?:[^/\\\n]|\\[^\n])*\/[pd]$/,
  /^(\d+|\$)?(,(\d+|\$))?\s*s(?<mark>[/|,#:@])((?!\k<mark>)[^\\\n]|\\[^\n])*\k<mark>((?!\k<mark>)[^\\\n]|\\[^\n])*\k<mark>[gIip\d]*$/,
];

/** Reads sed's script, which can run commands (`e`) and write files (`w`), and the files that it changes with -i. */
export function readSed(args: readonly ShellWord[], { parts, text }: { parts: Parts; text: string }): void {
  const scripts: (string | undefined)[] = [];
  const files: ShellWord[] = [];
  let isInPlace = false;
  let hasScript = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    const literal = word?.literal;
    if (literal === undefined) {
      if (!hasScript) scripts.push(undefined);
      hasScript = true;
      if (word) files.push(word);
    } else if (literal === "-e" || literal === "--expression") {
      scripts.push(args[at + 1]?.literal);
      hasScript = true;
      at += 1;
    } else if (
      /^-[nErsuz]+$/.test(literal) ||
      literal === "--posix" ||
      literal === "--quiet" ||
      literal === "--regexp-extended"
    )
      continue;
    else if (/^(-[nErsuz]*i|--in-place)/.test(literal)) isInPlace = true;
    else if (literal.startsWith("-")) {
      parts.opaque(text, `\`sed ${literal}\` may run a script that is not seen.`);
      return;
    } else if (!hasScript) {
      scripts.push(literal);
      hasScript = true;
    } else if (word) files.push(word);
  }
  if (scripts.some((script) => script === undefined || !HARMLESS.some((one) => one.test(script))))
    parts.opaque(text, "A script of `sed` can run commands and write files.");
  if (isInPlace) for (const word of files) parts.add({ kind: "write", text, word, weight: "full" });
}
