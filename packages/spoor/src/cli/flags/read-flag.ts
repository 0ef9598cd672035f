import path from "node:path";
import type { FlagValues } from "../../options/option-row.ts";
import { ExitError } from "../exit-error.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { readMcpServers } from "./mcp-file.ts";
import { count, dollars } from "./numbers.ts";
import { timer } from "./time-spans.ts";

/** Reads the text after a flag. `before` is what earlier occurrences of the flag gave. Errors name the flag. */
type Read<Value> = (text: string, flag: string, before: unknown) => Value;

/** How each kind of flag is read; commander itself reads the kinds that are undefined here. */
export const readFlag: { readonly [Kind in keyof FlagValues]: Read<FlagValues[Kind]> | undefined } = {
  text: undefined,
  choice: undefined,
  switch: undefined,
  directory: undefined,
  count: (text, flag) => count(flag)(text),
  dollars: (text, flag) => dollars(flag)(text),
  milliseconds: (text, flag) => timer(flag)(text),
  files: (text, _, before) => repeated(path.resolve(text), before),
  variables: (text, flag, before) => repeated(variableName(text, flag), before),
  words: splitWords,
  "mcp-file": readMcpServers,
};

/** Adds a value to those of earlier occurrences of a flag that can be repeated. */
export const repeated = (value: string, before: unknown): string[] => [...((before as string[]) ?? []), value];

function variableName(text: string, flag: string): string {
  if (/^[^=\s]+$/.test(text)) return text;
  throw new ExitError(
    2,
    `${flag} takes the name of an environment variable, not ${JSON.stringify(text)}. ` +
      "Set the variable for `spoor run` itself, and name it.",
  );
}

/** Splits a command line at spaces. Single or double quotes keep spaces; no other character is special. */
function splitWords(line: string, flag: string): string[] {
  const pattern = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;
  if (line.replaceAll(pattern, "").trim() !== "") {
    throw new ExitError(2, `${flag} has an opening quote without a closing one: ${terminalSafe(line)}`);
  }
  const words = [...line.matchAll(pattern)].map(([word]) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ""),
  );
  if (!words[0]) throw new ExitError(2, `${flag} names no program. Example: ${flag} "npx claude"`);
  return words;
}
