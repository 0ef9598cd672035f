import { constants, existsSync } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, realpath, rename, rmdir, unlink } from "node:fs/promises";
import path from "node:path";
import { PatchRefused } from "./errors.ts";
import { refusalOfPath } from "./patch-path.ts";

/** What a path of the workspace holds. */
export interface FoundFile {
  bytes: Buffer;
  /** File type and permissions. */
  mode: number;
}

/** A folder inside the workspace that stays open, so that nobody can swap it for a link while it is used. */
export interface OpenFolder {
  /** A path of a name in this folder that does not go through any name above it. */
  at(name: string): string;
  /** Makes changes of names in this folder survive a power loss. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the folder of a path, beneath `root` and without following a link at any part. Folders that are missing are made if
 * `create` is set; otherwise the result is undefined.
 *
 * On Linux every part is opened relative to the open folder above it (`/proc/self/fd/<n>/<name>`, `O_NOFOLLOW`), so a part
 * that is swapped for a link meanwhile changes nothing. Other systems cannot do that from Node: there each part is
 * checked when it is opened and the whole again before use, so a program that swaps folders at the right moment could
 * still redirect a write.
 */
export async function openFolder(root: string, file: string, create?: FolderMaker): Promise<OpenFolder | undefined> {
  const refusal = refusalOfPath(file);
  if (refusal !== undefined) throw new PatchRefused(file, refusal);
  const parts = file.split("/").slice(0, -1);
  const top = await openAt(await realpath(root), file);
  if (!top) throw new PatchRefused(file, "its workspace is not a folder any more");
  let folder: OpenFolder = top;
  for (const [depth, part] of parts.entries()) {
    let next: OpenFolder | undefined;
    try {
      next = await openChild(folder, part, file, create, parts.slice(0, depth + 1).join("/"));
    } finally {
      await folder.close();
    }
    if (!next) return undefined;
    folder = next;
  }
  return folder;
}

/** Called with the path of each folder that is made. */
export type FolderMaker = (folder: string) => void;

/** Reads a file beneath the root; undefined if there is none. A link is not followed but refused. */
export async function readBeneath(root: string, file: string): Promise<FoundFile | undefined> {
  const folder = await openFolder(root, file);
  try {
    return folder && (await readIn(folder, path.posix.basename(file), file));
  } finally {
    await folder?.close();
  }
}

/** Reads a file of an open folder; undefined if there is none. */
export async function readIn(folder: OpenFolder, name: string, file: string): Promise<FoundFile | undefined> {
  // Without O_NONBLOCK, opening a pipe would wait for its writer.
  const flags = constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0);
  let handle: FileHandle;
  try {
    // Also checks systems without O_NOFOLLOW.
    if ((await lstat(folder.at(name))).isSymbolicLink()) throw new PatchRefused(file, "it is a symbolic link");
    handle = await open(folder.at(name), flags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP" || code === "EMLINK") throw new PatchRefused(file, "it is a symbolic link");
    if (code === "ENXIO") throw new PatchRefused(file, "it is not a regular file");
    throw error;
  }
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new PatchRefused(file, "it is not a regular file");
    return { bytes: await handle.readFile(), mode: found.mode };
  } finally {
    await handle.close();
  }
}

/** Removes folders that are empty, the innermost first. Stops at the first that is not. */
export async function removeEmptyFolders(root: string, folders: readonly string[]): Promise<void> {
  for (const each of folders.toSorted((a, b) => b.length - a.length)) {
    const parent = await openFolder(root, each).catch(() => undefined);
    try {
      const at = parent?.at(path.posix.basename(each));
      if (at !== undefined && (await readdir(at)).length === 0) await rmdir(at);
    } catch {
      // A folder that somebody uses stays.
    } finally {
      await parent?.close();
    }
  }
}

/** Replaces a file of the folder by another one. */
export const renameIn = (folder: OpenFolder, from: string, to: string): Promise<void> =>
  rename(folder.at(from), folder.at(to));

export const unlinkIn = (folder: OpenFolder, name: string): Promise<void> => unlink(folder.at(name));

const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const FOLDER = constants.O_RDONLY | NO_FOLLOW | (constants.O_DIRECTORY ?? 0);
const HAS_FD_PATHS = process.platform === "linux" && existsSync("/proc/self/fd");

async function openChild(
  parent: OpenFolder,
  name: string,
  file: string,
  create: FolderMaker | undefined,
  place: string,
): Promise<OpenFolder | undefined> {
  const found = await openAt(parent.at(name), file);
  if (found || !create) return found;
  await mkdir(parent.at(name)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  create(place);
  await parent.sync();
  return openAt(parent.at(name), file);
}

/** Opens one folder that must not be a link. Undefined if there is nothing. */
async function openAt(place: string, file: string): Promise<OpenFolder | undefined> {
  if (!HAS_FD_PATHS) return openChecked(place, file);
  const handle = await open(place, FOLDER).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw refusedFolder(error, file);
  });
  if (!handle) return undefined;
  return {
    at: (name) => `/proc/self/fd/${handle.fd}/${name}`,
    sync: () => handle.sync(),
    close: () => handle.close(),
  };
}

/** For systems without paths of open folders. */
async function openChecked(place: string, file: string): Promise<OpenFolder | undefined> {
  const found = await lstat(place).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw refusedFolder(error, file);
  });
  if (!found) return undefined;
  if (!found.isDirectory() || (await realpath(place)) !== path.resolve(place))
    throw new PatchRefused(file, "a part of it is a link or not a folder");
  return {
    at: (name) => path.join(place, name),
    async sync() {
      const handle = await open(place, "r").catch(() => undefined);
      // Windows cannot sync a folder.
      await handle?.sync().catch(() => {});
      await handle?.close();
    },
    close: async () => {},
  };
}

const refusedFolder = (error: NodeJS.ErrnoException, file: string): Error =>
  ["ENOTDIR", "ELOOP", "EMLINK"].includes(error.code ?? "")
    ? new PatchRefused(file, "a part of it is a link or not a folder")
    : error;
