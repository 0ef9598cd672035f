import { diffHeader, unifiedDiff } from "../../kit/diff.ts";
import { byteCount, createdFile, movedFile } from "../../kit/file-facts.ts";
import { asObject, asObjects, asText, type Json } from "../../kit/json-values.ts";
import type { FileFact } from "../../signal.ts";

/** What a successful call did to files. */
export function filesOf(tool: string, state: Json): FileFact[] {
  const input = asObject(state.input) ?? {};
  const metadata = asObject(state.metadata) ?? {};
  const path = asText(input.filePath) ?? asText(metadata.filepath);
  if (tool === "apply_patch") return asObjects(metadata.files).flatMap(patched);
  if (!path) return [];
  if (tool === "edit" || tool === "multiedit") return [edited(path, input, metadata)];
  if (tool === "read") return asObject(metadata.display)?.type === "directory" ? [] : [{ op: "read", path }];
  if (tool !== "write") return [];
  return [{ op: metadata.exists === false ? "create" : "write", path, byteCount: byteCount(input.content) }];
}

/** An edit that replaces nothing creates the file. */
function edited(path: string, input: Json, metadata: Json): FileFact {
  const before = asText(input.oldString) ?? "";
  const patch = asText(asObject(metadata.filediff)?.patch) ?? asText(metadata.diff);
  if (before === "" && (patch === undefined || /^@@ -0,0 /m.test(patch))) return createdFile(path, input.newString);
  return {
    op: "patch",
    path,
    diff: patch ? named(path, patch) : unifiedDiff(path, before, `${input.newString ?? ""}`),
  };
}

function patched(file: Json): FileFact[] {
  const path = asText(file.filePath);
  const patch = asText(file.patch) ?? asText(file.diff) ?? "";
  if (!path) return [];
  if (file.type === "delete") return [{ op: "delete", path }];
  if (file.type === "add") return [createdFile(path, added(patch))];
  const to = asText(file.movePath);
  return to ? movedFile(path, to, named(to, patch)) : [{ op: "patch", path, diff: named(path, patch) }];
}

/** The patch with the usual file names. */
const named = (path: string, patch: string): string =>
  `${diffHeader(path)}${patch.slice(Math.max(0, patch.search(/^@@/m)))}`;

const added = (patch: string): string => [...patch.matchAll(/^\+(?!\+\+ )(.*\n?)/gm)].map(([, line]) => line).join("");
