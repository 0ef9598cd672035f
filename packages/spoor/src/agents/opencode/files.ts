import { unifiedDiff } from "../diff.ts";
import { asObject, asObjects, asText, type Json } from "../json-machine.ts";
import type { FileFact } from "../signal.ts";

/** What a call that succeeded did to files. */
export function filesOf(tool: string, state: Json): FileFact[] {
  const input = asObject(state.input) ?? {};
  const metadata = asObject(state.metadata) ?? {};
  const path = asText(input.filePath) ?? asText(metadata.filepath);
  if (tool === "apply_patch") return asObjects(metadata.files).flatMap(patched);
  if (!path) return [];
  switch (tool) {
    case "read":
      return asObject(metadata.display)?.type === "directory" ? [] : [{ op: "read", path }];
    case "write":
      return [{ op: metadata.exists === false ? "create" : "write", path, byteCount: byteCount(input.content) }];
    case "edit":
    case "multiedit":
      return [edited(path, input, metadata)];
    default:
      return [];
  }
}

/** An edit that replaces nothing makes the file. */
function edited(path: string, input: Json, metadata: Json): FileFact {
  const before = asText(input.oldString) ?? "";
  const patch = asText(asObject(metadata.filediff)?.patch) ?? asText(metadata.diff);
  if (before === "" && (patch === undefined || /^@@ -0,0 /m.test(patch))) {
    return { op: "create", path, byteCount: byteCount(input.newString) };
  }
  return {
    op: "patch",
    path,
    diff: patch ? named(path, patch) : unifiedDiff(path, before, `${input.newString ?? ""}`),
  };
}

function patched(file: Json): FileFact[] {
  const from = asText(file.filePath);
  const patch = asText(file.patch) ?? asText(file.diff) ?? "";
  if (!from) return [];
  if (file.type === "delete") return [{ op: "delete", path: from }];
  if (file.type === "add") return [{ op: "create", path: from, byteCount: byteCount(added(patch)) }];
  const to = asText(file.movePath);
  if (!to) return [{ op: "patch", path: from, diff: named(from, patch) }];
  return [
    { op: "patch", path: to, diff: named(to, patch) },
    { op: "delete", path: from },
  ];
}

/** The patch under the names that other patches have. */
function named(path: string, patch: string): string {
  const name = path.replace(/^\/+/, "");
  return `--- a/${name}\n+++ b/${name}\n${patch.slice(Math.max(0, patch.search(/^@@/m)))}`;
}

const added = (patch: string): string => [...patch.matchAll(/^\+(?!\+\+ )(.*\n?)/gm)].map(([, line]) => line).join("");

const byteCount = (text: unknown): number => new TextEncoder().encode(asText(text) ?? "").length;
