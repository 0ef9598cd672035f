import { unifiedDiff } from "../../../diff.ts";
import { byteCount, created } from "../../../files.ts";
import { asArray, asNumber, asObject, asObjects, asText, type Json } from "../../../json-machine.ts";
import type { FileFact } from "../../../signal.ts";

/** The text of a call's content: images and links have none. */
export const textOf = (content: unknown): string =>
  asObjects(content)
    .map((block) => asText(asObject(block.content ?? block)?.text) ?? "")
    .join("");

/** What a call printed: every agent shapes `rawOutput` its own way, and some leave it out for the content. */
export function printed(rawOutput: unknown, content: unknown): { text: string; isExact: boolean } {
  const raw = asObject(rawOutput);
  for (const field of ["output", "aggregated_output", "stdout"]) {
    const text = asText(raw?.[field]);
    if (text !== undefined) return { text, isExact: true };
  }
  const text = asText(rawOutput) || asText(raw?.content) || textOf(raw?.content) || textOf(content);
  return { text: /^\(.*no output.*\)$/i.test(text) ? "" : text, isExact: false };
}

/** What went wrong, in the agent's words. */
export function complaint(rawOutput: unknown, content: unknown): string {
  const raw = asObject(rawOutput);
  const said = asText(raw?.error) || asText(raw?.message) || textOf(raw?.content) || textOf(content);
  return said || printed(rawOutput, content).text || "The tool failed.";
}

/** The exit code, in the places agents put it. */
export function exitCodeOf(rawOutput: unknown): number | undefined {
  const raw = asObject(rawOutput);
  const places = asObjects([raw, raw?.metadata, raw?.details, ...asArray(raw?.contents)]);
  const codes = places.map(({ exitCode, exit_code, exit }) => asNumber(exitCode ?? exit_code ?? exit));
  const code = codes.find((found) => found !== undefined);
  return code && Math.trunc(code);
}

export const diffsIn = (content: unknown): Json[] =>
  asObjects(content).filter(({ type, path }) => type === "diff" && asText(path));

/** A diff gives both texts. No old one is a new file; some agents say so with an empty one. */
export function fileOf(diff: Json, isDelete: boolean): FileFact {
  const path = asText(diff.path) ?? "";
  const before = asText(diff.oldText) ?? "";
  const after = asText(diff.newText) ?? "";
  if (isDelete || asObject(diff._meta)?.kind === "delete") return { op: "delete", path };
  if (before === "") return created(path, after);
  return { op: "patch", path, diff: unifiedDiff(path, before, after) };
}

/** A file before it was written, as far as it is known; one without a text may be no text. */
export interface Before {
  text: string | undefined;
  existed: boolean;
}

/** A write the client did, as far as it is known what the file held before. */
export function writtenFile(path: string, after: string, before: Before | undefined): FileFact {
  if (before?.existed && before.text) return { op: "patch", path, diff: unifiedDiff(path, before.text, after) };
  return { op: before?.existed === false ? "create" : "write", path, byteCount: byteCount(after) };
}

/** A command and its arguments as one line, in whichever form they came. */
export const commandLine = (command: unknown): string =>
  Array.isArray(command) ? command.filter((word) => typeof word === "string").join(" ") : (asText(command) ?? "");
