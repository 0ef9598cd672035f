import type { ToolKind } from "@spoor/protocol";
import { diffHeader } from "../../kit/diff.ts";
import { createdFile, movedFile } from "../../kit/file-facts.ts";
import { asObject, asObjects, asText, type Json } from "../../kit/json-values.ts";
import type { FileFact } from "../../signal.ts";

/**
 * The changes of one patch. The app server sends `kind` as an object together with the diff; `exec` sends only a
 * string.
 */
export const fileFacts = (changes: unknown): FileFact[] => asObjects(changes).flatMap(factsOf);

export function patchKind(changes: unknown): ToolKind {
  const [only = {}, ...more] = asObjects(changes);
  if (more.length > 0) return "multi_edit";
  return kindOf(only) === "add" ? "file_write" : "edit";
}

export const changedPaths = (changes: unknown): string[] =>
  asObjects(changes).flatMap(({ path }) => asText(path) ?? []);

function factsOf(change: Json): FileFact[] {
  const path = asText(change.path);
  if (!path) return [];
  const text = asText(change.diff) ?? "";
  const kind = kindOf(change);
  // For a new file, `diff` is its content.
  if (kind === "add") return [createdFile(path, text)];
  if (kind === "delete") return [{ op: "delete", path }];
  const target = asText(asObject(change.kind)?.move_path);
  if (!target) return [{ op: "patch", path, diff: named(text, path) }];
  return movedFile(path, target, named(text.replace(/\n+Moved to: [^\n]*$/, "\n"), target, path));
}

const kindOf = (change: Json): string => asText(change.kind) ?? asText(asObject(change.kind)?.type) ?? "update";

/** The agent sends hunks without file names. */
const named = (hunks: string, path: string, before = path): string =>
  hunks.startsWith("@@") ? `${diffHeader(path, before)}${hunks}` : hunks;
