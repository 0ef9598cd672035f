import { textOfContent } from "../../../kit/content-text.ts";
import { writtenFile } from "../../../kit/file-facts.ts";
import { asArray, asNumber, asObject, asObjects, asText, type Json } from "../../../kit/json-values.ts";
import type { FileFact } from "../../../signal.ts";

/** The text of a call's content, whose blocks are nested. Images and links have no text. */
export const textIn = (content: unknown): string =>
  textOfContent(Array.isArray(content) ? asObjects(content).map((block) => block.content ?? block) : content);

/** The output of a call. Every agent has its own shape of `rawOutput`; some use the content instead. */
export function printedText(rawOutput: unknown, content: unknown): { text: string; isExact: boolean } {
  const raw = asObject(rawOutput);
  const exact = asText(raw?.output) ?? asText(raw?.aggregated_output) ?? asText(raw?.stdout);
  if (exact !== undefined) return { text: exact, isExact: true };
  const text = asText(rawOutput) || textIn(raw?.content) || textIn(content);
  return { text: /^\(.*no output.*\)$/i.test(text) ? "" : text, isExact: false };
}

/** The agent's error message. */
export function errorText(rawOutput: unknown, content: unknown, otherwise: string): string {
  const raw = asObject(rawOutput);
  const said =
    asText(raw?.error) ||
    asText(asObject(raw?.error)?.message) ||
    asText(raw?.message) ||
    textIn(raw?.content) ||
    textIn(content);
  return said || printedText(rawOutput, content).text || textIn(asObject(raw?.result)?.content) || otherwise;
}

/** The exit code, from any of the fields that agents use. */
export function exitCodeOf(rawOutput: unknown): number | undefined {
  const raw = asObject(rawOutput);
  const places = asObjects([raw, raw?.metadata, raw?.details, ...asArray(raw?.contents)]);
  const codes = places.map(({ exitCode, exit_code, exit }) => asNumber(exitCode ?? exit_code ?? exit));
  return codes.find((code) => code !== undefined);
}

export const diffsIn = (content: unknown): Json[] =>
  asObjects(content).filter(({ type, path }) => type === "diff" && asText(path));

/** A diff contains both texts. Without an old text the file is new; some agents send an empty old text for that. */
export function fileOf(diff: Json, isDelete: boolean): FileFact {
  const path = asText(diff.path) ?? "";
  if (isDelete || asObject(diff._meta)?.kind === "delete") return { op: "delete", path };
  return writtenFile(path, asText(diff.newText) ?? "", asText(diff.oldText) || null);
}

/** A command and its arguments as one line, from a string or a list. */
export const commandLine = (command: unknown): string =>
  Array.isArray(command) ? command.filter((word) => typeof word === "string").join(" ") : (asText(command) ?? "");
