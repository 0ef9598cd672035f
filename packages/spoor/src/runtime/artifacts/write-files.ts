import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import path from "node:path";
import {
  type FolderMaker,
  openFolder,
  readBeneath,
  readIn,
  removeEmptyFolders,
  renameIn,
  unlinkIn,
} from "./beneath.ts";
import { type FileEdit, isSame } from "./plan.ts";

/** A file to replace, and the name of the file that is written first, in the same folder. */
export interface PlannedWrite extends FileEdit {
  temporary: string;
}

/** Called before each step that changes the disk. Tests end the process there. */
export type StepListener = (step: "intent" | "temporary" | "check" | "rename" | "unlink" | "sync" | "events") => void;

/** Writes the new contents beside the files. The files themselves stay unchanged. */
export async function writeTemporaries(
  root: string,
  writes: readonly PlannedWrite[],
  onFolder: FolderMaker,
  onStep: StepListener = () => {},
): Promise<void> {
  for (const { path: file, temporary, after } of writes) {
    if (!after) continue;
    onStep("temporary");
    const folder = await openFolder(root, file, onFolder);
    if (!folder) continue;
    try {
      const handle = await open(folder.at(temporary), CREATE, 0o600);
      try {
        await handle.writeFile(after.bytes);
        await handle.chmod(after.mode & 0o777);
        await handle.sync();
      } finally {
        await handle.close();
      }
    } finally {
      await folder.close();
    }
  }
}

/** Returns the files that changed since the plan was made. */
export async function changedSince(root: string, writes: readonly PlannedWrite[]): Promise<FileEdit[]> {
  const changed: FileEdit[] = [];
  for (const { path: file, before, after } of writes) {
    const now = await readBeneath(root, file);
    if (!isSame(now, before)) changed.push({ path: file, before: now, after });
  }
  return changed;
}

/** Puts every new content in its place. Each file is replaced at once: nobody sees a part of it. */
export async function replaceFiles(
  root: string,
  writes: readonly PlannedWrite[],
  onStep: StepListener = () => {},
): Promise<void> {
  const emptied: string[] = [];
  for (const { path: file, temporary, before, after } of writes) {
    const folder = await openFolder(root, file);
    if (!folder) continue;
    try {
      const name = path.posix.basename(file);
      onStep(after ? "rename" : "unlink");
      if (after) await renameIn(folder, temporary, name);
      else if (before) {
        await unlinkIn(folder, name);
        emptied.push(...foldersOf(file));
      }
      onStep("sync");
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
  await removeEmptyFolders(root, [...new Set(emptied)]);
}

/** Removes temporary files that are left, and folders that were made for them. */
export async function removeTemporaries(
  root: string,
  writes: readonly Pick<PlannedWrite, "path" | "temporary">[],
  folders: readonly string[],
): Promise<void> {
  for (const { path: file, temporary } of writes) {
    const folder = await openFolder(root, file).catch(() => undefined);
    if (!folder) continue;
    try {
      if (await readIn(folder, temporary, file)) await unlinkIn(folder, temporary);
    } finally {
      await folder.close();
    }
  }
  await removeEmptyFolders(root, folders);
}

/** The folders of a path, the outermost first. */
export function foldersOf(file: string): string[] {
  const parts = file.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** The folders of these files that do not exist. */
export async function missingFolders(root: string, writes: readonly PlannedWrite[]): Promise<string[]> {
  const folders = [...new Set(writes.flatMap(({ path }) => foldersOf(path)))];
  const found = await Promise.all(
    folders.map((folder) =>
      lstat(`${root}/${folder}`).then(
        () => true,
        () => false,
      ),
    ),
  );
  return folders.filter((_, index) => found[index] === false);
}

/** The name of a file that is written beside another one. */
export const temporaryName = (): string => `.spoor-${randomBytes(12).toString("hex")}.tmp`;

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
