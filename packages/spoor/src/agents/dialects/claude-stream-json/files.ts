import { diffOfHunks, type Hunk, unifiedDiff } from "../../diff.ts";
import { asArray, asCount, asObject, asObjects, asText, type Json } from "../../json-machine.ts";
import type { FileFact } from "../../signal.ts";
import type { Profile } from "./profile.ts";
import type { Tool } from "./tools.ts";

/** What a call that succeeded did to files. */
export function changedFiles({ toolKind, input }: Tool, detail: Json, text: string, profile: Profile): FileFact[] {
  if (toolKind === "shell") return changedByCommand(asObject(detail.bashEditDiff) ?? {});
  const path = asText(input.file_path ?? input.notebook_path ?? input.absolute_path ?? input.path ?? detail.filePath);
  if (!path) return [];
  switch (toolKind) {
    case "file_read":
      return [{ op: "read", path }];
    case "file_write": {
      const byteCount = new TextEncoder().encode(asText(input.content) ?? "").length;
      return [{ op: profile.created.test(text) ? "create" : "write", path, byteCount }];
    }
    case "edit":
    case "multi_edit":
      return diffsOfEdit(path, input, detail).map((diff) => ({ op: "patch", path, diff }));
    default:
      return [];
  }
}

/** The agent's own diff; else one of the replaced text alone, whose line numbers are not the file's. */
function diffsOfEdit(path: string, input: Json, detail: Json): string[] {
  const hunks = hunksOf(detail.structuredPatch);
  if (hunks.length > 0) return [diffOfHunks(path, hunks)];
  const pairs: [unknown, unknown][] = [
    [detail.original_file, detail.updated_file],
    ...[input, ...asObjects(input.edits)].map((edit): [unknown, unknown] => [
      edit.old_string ?? edit.old_str,
      edit.new_string ?? edit.new_str,
    ]),
  ];
  return pairs.flatMap(([before, after]) =>
    typeof before === "string" && typeof after === "string" ? [unifiedDiff(path, ended(before), ended(after))] : [],
  );
}

/** A piece of a file ends in the middle of it. */
const ended = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

function changedByCommand(change: Json): FileFact[] {
  return asObjects(change.files).flatMap((file): FileFact[] => {
    const path = asText(file.filePath);
    if (!path) return [];
    if (file.deleted === true) return [{ op: "delete", path }];
    return [{ op: "patch", path, diff: diffOfHunks(path, hunksOf(file.hunks)) }];
  });
}

function hunksOf(value: unknown): Hunk[] {
  return asArray(value).flatMap((item) => {
    const hunk = asObject(item);
    if (!hunk) return [];
    const count = (name: string): number => asCount(hunk[name]) ?? 0;
    return {
      oldStart: count("oldStart"),
      oldLines: count("oldLines"),
      newStart: count("newStart"),
      newLines: count("newLines"),
      lines: asArray(hunk.lines).filter((line) => typeof line === "string"),
    };
  });
}
