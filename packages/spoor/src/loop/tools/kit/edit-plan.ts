import type { ToolPlace } from "../tool.ts";
import { checkText, type FileEdit } from "./change-files.ts";
import { ToolProblem } from "./define-tool.ts";
import { readWorkspaceFile, revisionOf, textOf, type WorkspaceFile } from "./files.ts";
import { fileInside } from "./place.ts";
import { type Replacement, replaceText } from "./replace-text.ts";

/** A place, with the data directory where it is known. */
export type EditPlace = Pick<ToolPlace, "root"> & { directory?: string };

/** A replacement in a file. */
export interface FileReplacement extends Replacement {
  path: string;
  /** The revision that the model read. */
  revision?: string;
}

/** What replacements do to their files, one after the other. Throws if one of them is impossible. */
export async function planReplacements(
  { root, directory }: EditPlace,
  replacements: readonly FileReplacement[],
): Promise<FileEdit[]> {
  const edits = new Map<string, FileEdit & { after: WorkspaceFile }>();
  for (const { path, revision, ...replacement } of replacements) {
    const file = fileInside({ root }, path);
    checkText("new_string", replacement.new_string);
    let edit = edits.get(file);
    if (!edit) {
      const before = await readWorkspaceFile(root, file, directory);
      if (!before) throw new ToolProblem(`There is no file ${file}. Use file_write to make one.`);
      textOf(file, before);
      checkRevision(file, before, revision);
      edit = { path: file, before, after: before };
      edits.set(file, edit);
    }
    edit.after = { ...edit.after, bytes: replaceText(file, edit.after.bytes, replacement) };
  }
  return [...edits.values()];
}

/** Refuses a change of a file that differs from what the model read. */
export function checkRevision(file: string, { bytes }: WorkspaceFile, revision: string | undefined): void {
  if (revision === undefined || revision === revisionOf(bytes)) return;
  throw new ToolProblem(
    `${file} is not as you read it: its revision is ${revisionOf(bytes)}, not ${revision}. Read it again.`,
  );
}
