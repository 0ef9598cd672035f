import { diffOfHunks, type Hunk, unifiedDiff } from "../../../diff.ts";
import { byteCount } from "../../../files.ts";
import { asArray, asCount, asObject, asObjects, asText, type Json } from "../../../json-machine.ts";
import type { FileFact } from "../../../signal.ts";
import type { Profile } from "./profile.ts";
import type { Tool } from "./tools.ts";

/** What a call that succeeded did to files. */
export function changedFiles({ toolKind, input }: Tool, detail: Json, text: string, { created }: Profile): FileFact[] {
  if (toolKind === "shell") return asObjects(asObject(detail.bashEditDiff)?.files).flatMap(changedByCommand);
  const path = asText(input.file_path ?? input.notebook_path ?? input.absolute_path ?? input.path ?? detail.filePath);
  if (!path) return [];
  if (toolKind === "file_read") return [{ op: "read", path }];
  if (toolKind === "file_write") {
    return [{ op: created.test(text) ? "create" : "write", path, byteCount: byteCount(input.content) }];
  }
  if (toolKind !== "edit" && toolKind !== "multi_edit") return [];
  return diffsOfEdit(path, input, detail).map((diff) => ({ op: "patch", path, diff }));
}

/** The agent's own diff; else one of the replaced text alone, whose line numbers are not the file's. */
function diffsOfEdit(path: string, input: Json, detail: Json): string[] {
  const hunks = hunksOf(detail.structuredPatch);
  if (hunks.length > 0) return [diffOfHunks(path, hunks)];
  const edits = [input, ...asObjects(input.edits)].map((edit) => ({
    before: edit.old_string ?? edit.old_str,
    after: edit.new_string ?? edit.new_str,
  }));
  return [{ before: detail.original_file, after: detail.updated_file }, ...edits].flatMap(({ before, after }) =>
    typeof before === "string" && typeof after === "string" ? [unifiedDiff(path, ended(before), ended(after))] : [],
  );
}

/** A piece of a file ends in the middle of it. */
const ended = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

function changedByCommand({ filePath, deleted, hunks }: Json): FileFact[] {
  const path = asText(filePath);
  if (!path) return [];
  return [deleted === true ? { op: "delete", path } : { op: "patch", path, diff: diffOfHunks(path, hunksOf(hunks)) }];
}

const hunksOf = (value: unknown): Hunk[] =>
  asObjects(value)
    .map((hunk) => ({
      oldStart: asCount(hunk.oldStart) ?? 0,
      oldLines: asCount(hunk.oldLines) ?? 0,
      newStart: asCount(hunk.newStart) ?? 0,
      newLines: asCount(hunk.newLines) ?? 0,
      lines: asArray(hunk.lines).filter((line) => typeof line === "string"),
    }))
    .filter(({ lines }) => lines.length > 0);
