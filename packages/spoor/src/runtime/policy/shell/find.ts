import type { Parts } from "./parts.ts";
import { type ShellWord, unknownWord } from "./word.ts";

const before: Readonly<Record<string, readonly string[]>> = {
  find: ["-exec", "-execdir", "-ok", "-okdir"],
  fd: ["-x", "--exec", "-X", "--exec-batch"],
  fdfind: ["-x", "--exec", "-X", "--exec-batch"],
};

/** Reads the commands that `find -exec` and `fd -x` run, and the files that find writes. `{}` is any path. */
export function readFind(
  name: string,
  args: readonly ShellWord[],
  { parts, text }: { parts: Parts; text: string },
  run: (words: readonly ShellWord[]) => void,
): void {
  const options = before[name] ?? [];
  for (let at = 0; at < args.length; at++) {
    const literal = args[at]?.literal;
    if (literal === undefined) {
      const isPath = args[at]?.glob[0] === "/" || args[at]?.glob[0] === ".";
      if (!isPath) parts.opaque(text, `A word of \`${name}\` is computed, and some run commands.`);
    } else if (name !== "find" && /^(-x|-X|--exec(-batch)?=).+/.test(literal))
      parts.opaque(text, `\`${name} ${literal}\` runs a command.`);
    else if (options.includes(literal)) {
      const end = args.findIndex(
        (word, index) => index > at && (word.literal === ";" || (name === "find" && word.literal === "+")),
      );
      const words = args.slice(at + 1, end < 0 ? args.length : end);
      if (words.length === 0) parts.opaque(text, `\`${name} ${literal}\` names no command.`);
      run(words.map((word) => (word.literal?.includes("{") ? unknownWord(false) : word)));
      if (end < 0) return;
      at = end;
    } else if (/^-(fprint0?|fprintf|fls)$/.test(literal)) {
      const file = args[at + 1];
      if (file) parts.add({ kind: "write", text, word: file, weight: "full" });
    } else if (literal === "-delete") parts.opaque(text, "`find -delete` removes files that are not named.");
  }
}
