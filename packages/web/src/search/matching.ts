import type { Command } from "../ui/commands.ts";

/** The commands whose name or words contain every word of the text, those that begin with it first. */
export function matching(commands: readonly Command[], text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const start = text.trim().toLowerCase();
  return commands
    .filter(({ name, words: others = "" }) => {
      const all = `${name} ${others}`.toLowerCase();
      return words.every((word) => all.includes(word));
    })
    .toSorted((one, other) => Number(begins(other, start)) - Number(begins(one, start)));
}

const begins = ({ name }: Command, start: string): boolean => name.toLowerCase().startsWith(start);
