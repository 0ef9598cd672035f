import { diffOf } from "../../../runtime/artifacts/diff-text.ts";
import { changeCallFiles } from "../../../runtime/artifacts/file-changes.ts";
import { countLines, hunksBetween } from "../../../runtime/artifacts/hunks.ts";
import { isBinary } from "../../../runtime/artifacts/lines.ts";
import type { FileEdit } from "../../../runtime/artifacts/plan.ts";
import { changedSince, type PlannedWrite } from "../../../runtime/artifacts/write-files.ts";
import type { ToolContext, ToolQuestion, ToolResult } from "../tool.ts";
import { ToolProblem } from "./define-tool.ts";
import { MAX_FILE_BYTES, revisionOf } from "./files.ts";

export type { FileEdit };

/**
 * Changes files: all of them, or none, even if this process is killed. Nothing is replaced if a file differs from what the
 * change was made for, and what is already replaced is put back if a later file cannot be replaced.
 */
export async function changeFiles(
  { root, signal, directory, run_id, callId }: ChangePlace,
  edits: readonly FileEdit[],
): Promise<void> {
  for (const { path, after } of edits) {
    if (after && after.bytes.length > MAX_FILE_BYTES) {
      throw new ToolProblem(`${path} would have ${after.bytes.length} bytes. A file may have ${MAX_FILE_BYTES}.`);
    }
  }
  async function check(writes: readonly PlannedWrite[]): Promise<void> {
    const [changed] = await changedSince(root, writes);
    if (changed) {
      throw new ToolProblem(
        `${changed.path} was changed by somebody else meanwhile. Nothing was written: read it again.`,
      );
    }
    if (signal.aborted) throw new ToolProblem("The call was cancelled. Nothing was written.", "cancelled");
  }
  await changeCallFiles({ directory, run_id, call_id: callId, root, check }, edits);
}

export type ChangePlace = Pick<ToolContext, "root" | "signal" | "directory" | "run_id" | "callId">;

/** What a person sees before the files are changed. */
export function questionOf(tool: string, edits: readonly FileEdit[]): ToolQuestion {
  const diff = Buffer.concat(edits.map((edit) => diffOf(withModes(edit)))).toString("utf8");
  const names = edits.map(({ path }) => path);
  return {
    summary: `${tool} ${names.slice(0, 3).join(", ")}${names.length > 3 ? ` and ${names.length - 3} more` : ""}`,
    detail: edits.map((edit) => `${edit.path}: ${summaryOf(edit)}`).join("\n"),
    diff:
      diff.length > MAX_DIFF ? `${diff.slice(0, MAX_DIFF)}\n[${diff.length - MAX_DIFF} characters left out]\n` : diff,
  };
}

/** The result of a call that changed files. Files that stay as they are do not count. */
export function changeResult(edits: readonly FileEdit[], notes: readonly string[] = []): ToolResult {
  const lines = edits.map((edit) => {
    const revision = edit.after ? `, revision ${revisionOf(edit.after.bytes)}` : "";
    return `${edit.path}: ${summaryOf(edit)}${revision}`;
  });
  const summary = lines.length === 1 ? (lines[0] ?? "") : `changed ${lines.length} files`;
  return { output: [...lines, ...notes].join("\n"), summary, files: edits.map(factOf) };
}

/** Refuses text that cannot be written as UTF-8 without a loss. */
export function checkText(name: string, text: string): void {
  if (!text.isWellFormed())
    throw new ToolProblem(`${name} has half of a surrogate pair in it, which is no valid text.`);
}

const MAX_DIFF = 256 * 1024;
/** Larger diffs are only in the patch artifact. */
const MAX_FACT_DIFF = 32 * 1024;

const withModes = (edit: FileEdit) => ({
  ...{ path: edit.path, before: edit.before?.bytes, after: edit.after?.bytes },
  ...{ beforeMode: edit.before?.mode, afterMode: edit.after?.mode },
});

function summaryOf({ before, after }: FileEdit): string {
  if (!after) return "deleted";
  const { additions, deletions } = countLines(hunksBetween(before?.bytes, after.bytes));
  if (!before) return `new file, ${additions} ${additions === 1 ? "line" : "lines"}`;
  return `edited, +${additions}/-${deletions} lines`;
}

function factOf(edit: FileEdit): NonNullable<ToolResult["files"]>[number] {
  const { path, before, after } = edit;
  if (!after) return { op: "delete", path };
  if (!before) return { op: "create", path, byteCount: after.bytes.length };
  const diff = isBinary(before.bytes) || isBinary(after.bytes) ? undefined : diffOf(withModes(edit));
  if (!diff || diff.length > MAX_FACT_DIFF) return { op: "write", path, byteCount: after.bytes.length };
  return { op: "patch", path, diff: diff.toString("utf8") };
}
