import type { ToolKind } from "@spoor/protocol";
import type { FileFact } from "../signal.ts";
import { unifiedDiff } from "./diff.ts";
import { asText } from "./json-values.ts";

export const byteCount = (text: unknown): number => new TextEncoder().encode(asText(text) ?? "").length;

/**
 * A new file with this content.
 *
 * @example
 * createdFile("src/a.ts", "one\n"); // { op: "create", path: "src/a.ts", byteCount: 4 }
 */
export const createdFile = (path: string, text: unknown): FileFact => ({
  op: "create",
  path,
  byteCount: byteCount(text),
});

/**
 * A file that was written. `before` is its old content: undefined if unknown, `null` if the file is new.
 *
 * @example
 * writtenFile("src/a.ts", "two\n", "one\n"); // { op: "patch", path: "src/a.ts", diff: … }
 * writtenFile("src/a.ts", "two\n"); // { op: "write", path: "src/a.ts", byteCount: 4 }
 */
export function writtenFile(path: string, after: string, before?: string | null): FileFact {
  if (before) return { op: "patch", path, diff: unifiedDiff(path, before, after) };
  return before === null ? createdFile(path, after) : { op: "write", path, byteCount: byteCount(after) };
}

/** What a successful call did to the file it names, by the kind of its tool. */
export function fileFactsOfCall(
  toolKind: ToolKind,
  path: string | undefined,
  { content, isNew, diffs }: FileEffect,
): FileFact[] {
  if (!path) return [];
  if (toolKind === "file_read") return [{ op: "read", path }];
  if (toolKind === "file_write") return [{ op: isNew ? "create" : "write", path, byteCount: byteCount(content) }];
  if (toolKind !== "edit" && toolKind !== "multi_edit") return [];
  return diffs(path).map((diff) => ({ op: "patch", path, diff }));
}

interface FileEffect {
  /** The content of a written file, and whether the file is new. */
  content: unknown;
  isNew?: boolean;
  /** The diffs of an edited file, as far as they are known. */
  diffs(path: string): readonly string[];
}

/**
 * A file that was moved and changed.
 *
 * @example
 * const files = movedFile("a.ts", "b.ts", unifiedDiff("b.ts", "one\n", "two\n")); // A patch of b.ts, and a.ts deleted.
 */
export const movedFile = (from: string, to: string, diff: string): FileFact[] => [
  { op: "patch", path: to, diff },
  { op: "delete", path: from },
];
