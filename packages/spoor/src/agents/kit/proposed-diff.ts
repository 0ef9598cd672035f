import { diffHeader, diffsOfFragment, unifiedDiff } from "./diff.ts";
import { asArray, asObject, asObjects, asText, type Json } from "./json-values.ts";

/**
 * The unified diff of the change that a call's input asks for, in any of the shapes that agents use. Undefined if the
 * input asks for no change or lacks the old text.
 */
export function proposedDiff(input: unknown): string | undefined {
  const fields = asObject(input);
  if (!fields) return undefined;
  const path = textIn(fields, names.path) ?? "";
  const edits = [fields, ...asObjects(fields.edits), ...asObjects(fields.replacements)];
  const diffs = [
    ...edits.flatMap((edit) =>
      diffsOfFragment(textIn(edit, names.path) ?? path, textIn(edit, names.before), textIn(edit, names.after)),
    ),
    ...asArray(fields.changes).flatMap(changeIn),
  ];
  return diffs.length > 0 ? diffs.join("") : textIn(fields, names.patch);
}

/** One file of a patch: its diff, or the content of a file that is added or deleted. */
function changeIn(value: unknown): string[] {
  const change = asObject(value);
  const path = asText(change?.path);
  if (!change || !path) return [];
  const kind = asText(asObject(change.kind)?.type) ?? asText(change.kind);
  const text = asText(change.diff) ?? "";
  if (kind === "add") return [unifiedDiff(path, "", text)];
  if (kind === "delete") return [unifiedDiff(path, text, "")];
  return [text.startsWith("---") ? text : diffHeader(path) + text];
}

const textIn = (fields: Json, of: readonly string[]): string | undefined =>
  of.map((name) => asText(fields[name])).find((text) => text !== undefined);

/** The names that agents use for the same field. */
const names = {
  path: ["file_path", "filePath", "path", "filename", "fileName", "target_file"],
  before: ["old_string", "oldString", "old_str", "oldText", "old_text"],
  after: ["new_string", "newString", "new_str", "newText", "new_text"],
  patch: ["patch", "diff", "patchText", "patch_text"],
} as const;
