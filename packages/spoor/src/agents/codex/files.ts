import type { ToolKind } from "@spoor/protocol";
import { asArray, asObject, asText, type Json } from "../json-machine.ts";
import type { FileFact } from "../signal.ts";

/** Changes of one patch. The app server tells `kind` as an object and the diff, `exec` the word alone. */
export function fileFacts(changes: unknown): FileFact[] {
  return asArray(changes).flatMap((change) => factsOf(asObject(change) ?? {}));
}

export function patchKind(changes: unknown): ToolKind {
  const [only, ...more] = asArray(changes);
  if (more.length > 0) return "multi_edit";
  return kindOf(asObject(only) ?? {}) === "add" ? "file_write" : "edit";
}

export const changedPaths = (changes: unknown): string[] =>
  asArray(changes).flatMap((change) => asText(asObject(change)?.path) ?? []);

function factsOf(change: Json): FileFact[] {
  const path = asText(change.path);
  if (!path) return [];
  const text = asText(change.diff) ?? "";
  const kind = kindOf(change);
  // For a new file the "diff" is its content.
  if (kind === "add") return [{ op: "create", path, byteCount: new TextEncoder().encode(text).length }];
  if (kind === "delete") return [{ op: "delete", path }];
  const moved = asText(asObject(change.kind)?.move_path);
  if (!moved) return [{ op: "patch", path, diff: unified(path, path, text) }];
  const hunks = text.replace(/\n+Moved to: [^\n]*$/, "\n");
  return [
    { op: "patch", path: moved, diff: unified(path, moved, hunks) },
    { op: "delete", path },
  ];
}

const kindOf = (change: Json): string => asText(change.kind) ?? asText(asObject(change.kind)?.type) ?? "update";

/** The agent gives hunks without the names of the files. */
function unified(before: string, after: string, hunks: string): string {
  if (!hunks.startsWith("@@")) return hunks;
  return `--- a/${before.replace(/^\/+/, "")}\n+++ b/${after.replace(/^\/+/, "")}\n${hunks}`;
}
