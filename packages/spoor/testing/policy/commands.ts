import { readFileSync } from "node:fs";

interface Commands {
  /** Everything is allowed, also unasked, except for what these rules block. */
  rules: string[];
  /** Commands that do, or could do, what the rules block, grouped by the trick they use. None of them may be allowed. */
  hostile: Record<string, string[]>;
  /** Everyday commands, which the same rules allow. They show that hostile ones are not blocked by blocking everything. */
  harmless: string[];
}

/** Reads the corpus of shell commands. */
export function readCommands(): Commands {
  const { rules, hostile, harmless } = JSON.parse(readFileSync(new URL("commands.json", import.meta.url), "utf8"));
  const long = [
    `${"true; ".repeat(55)}rm -rf /x`,
    `${"true && ".repeat(70)}rm -rf /x`,
    `${"echo a; ".repeat(80)}rm -rf /x`,
    `echo ${"a".repeat(9000)}; rm -rf /x`,
  ];
  return { rules, hostile: { ...hostile, "long commands": long }, harmless };
}
