import type { ToolKind } from "@spoor/protocol";
import { diffOfHunks, diffsOfFragment, type Hunk, hunkOfLines } from "../../../kit/diff.ts";
import { fileFactsOfCall } from "../../../kit/file-facts.ts";
import { asArray, asCount, asObject, asObjects, asText, type Json } from "../../../kit/json-values.ts";
import type { FileFact } from "../../../signal.ts";

/** What a successful call did to files; `reported` is the agent's structured result. */
export function changedFiles(toolKind: ToolKind, input: Json, reported: Json, isNew: boolean): FileFact[] {
  if (toolKind === "shell") return asObjects(asObject(reported.bashEditDiff)?.files).flatMap(changedByCommand);
  const path = asText(input.file_path ?? input.notebook_path ?? input.absolute_path ?? input.path ?? reported.filePath);
  const diffs = (of: string) => diffsOfEdit(of, input, reported);
  return fileFactsOfCall(toolKind, path, { content: input.content, isNew, diffs });
}

/** The agent's own diff, or else diffs of the replaced text alone. */
function diffsOfEdit(path: string, input: Json, reported: Json): string[] {
  const hunks = hunksOf(reported.structuredPatch);
  if (hunks.length > 0) return [diffOfHunks(path, hunks)];
  const edits = [input, ...asObjects(input.edits)].flatMap((edit) =>
    diffsOfFragment(path, edit.old_string ?? edit.old_str, edit.new_string ?? edit.new_str),
  );
  return [...diffsOfFragment(path, reported.original_file, reported.updated_file), ...edits];
}

function changedByCommand({ filePath, deleted, hunks }: Json): FileFact[] {
  const path = asText(filePath) ?? "";
  return [deleted === true ? { op: "delete", path } : { op: "patch", path, diff: diffOfHunks(path, hunksOf(hunks)) }];
}

const hunksOf = (value: unknown): Hunk[] =>
  asObjects(value).flatMap(({ oldStart, newStart, lines }) => {
    const signed = asArray(lines).filter((line) => typeof line === "string");
    return signed.length > 0 ? [hunkOfLines(asCount(oldStart) ?? 0, asCount(newStart) ?? 0, signed)] : [];
  });
