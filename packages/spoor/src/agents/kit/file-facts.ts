import type { ToolKind } from "@spoor/protocol";
import type { FileFact } from "../signal.ts";
import { unifiedDiff } from "./diff.ts";
import { asText } from "./json-machine.ts";

export const byteCount = (text: unknown): number => new TextEncoder().encode(asText(text) ?? "").length;

export const created = (path: string, text: unknown): FileFact => ({ op: "create", path, byteCount: byteCount(text) });

/** A file that was written. What it held before may not be known; `null` is no file. */
export function written(path: string, after: string, before?: string | null): FileFact {
  if (before) return { op: "patch", path, diff: unifiedDiff(path, before, after) };
  return before === null ? created(path, after) : { op: "write", path, byteCount: byteCount(after) };
}

/** What a call that succeeded did to the file it names, by what its tool is for. */
export function touched(toolKind: ToolKind, path: string | undefined, { content, isNew, diffs }: Touch): FileFact[] {
  if (!path) return [];
  if (toolKind === "file_read") return [{ op: "read", path }];
  if (toolKind === "file_write") return [{ op: isNew ? "create" : "write", path, byteCount: byteCount(content) }];
  if (toolKind !== "edit" && toolKind !== "multi_edit") return [];
  return diffs(path).map((diff) => ({ op: "patch", path, diff }));
}

interface Touch {
  /** Of a file that was written, and whether there was none before. */
  content: unknown;
  isNew?: boolean;
  /** Of a file that was edited, as far as they are known. */
  diffs(path: string): readonly string[];
}

/** A file that was moved and changed. */
export const moved = (from: string, to: string, diff: string): FileFact[] => [
  { op: "patch", path: to, diff },
  { op: "delete", path: from },
];
