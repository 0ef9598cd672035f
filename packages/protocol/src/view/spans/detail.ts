import { key } from "../payload-fields.ts";

/** Fields of a tool's input that say best what it does, the first that is present. */
const telling = [
  "command",
  "cmd",
  "script",
  "file_path",
  "filePath",
  "path",
  "absolute_path",
  "notebook_path",
  "pattern",
  "query",
  "url",
  "description",
  "prompt",
] as const;

/** One line about the input of a call: its command, its file, what it searches. */
export function detailOfInput(input: unknown): string | undefined {
  if (typeof input === "string") return oneLine(input);
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  for (const name of telling) {
    const value = (input as Readonly<Record<string, unknown>>)[name];
    const line = oneLine(Array.isArray(value) ? value.filter((word) => typeof word === "string").join(" ") : value);
    if (line !== undefined) return line;
  }
  return undefined;
}

/** At most 200 characters without line breaks. A cut never leaves half of a surrogate pair. */
export function oneLine(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const line = value.slice(0, 400).replaceAll(/\s+/gu, " ").trim();
  return key(line.length > 200 ? `${line.slice(0, 199).toWellFormed()}…` : line.toWellFormed());
}
