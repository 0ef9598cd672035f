import { utf8Length } from "./utf8.ts";

/** What tools call the content of the file that they write. */
const names = ["content", "contents", "file_text", "text"] as const;

/**
 * Counts the lines of a new file, from the input of the call that wrote it. Undefined unless the input holds exactly as many
 * bytes as were written.
 */
export function writtenLines(input: unknown, bytesWritten: unknown): number | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  for (const name of names) {
    const content = (input as Record<string, unknown>)[name];
    if (typeof content === "string" && utf8Length(content) === bytesWritten) return lineCount(content);
  }
  return undefined;
}

/** The last line may end without a line break. */
function lineCount(text: string): number {
  let lines = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}
