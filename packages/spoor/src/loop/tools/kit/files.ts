import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, lstat, open, readdir, stat } from "node:fs/promises";
import path from "node:path";
import { openFolder } from "../../../runtime/artifacts/beneath.ts";
import { isBinary } from "../../../runtime/artifacts/lines.ts";
import { ToolProblem } from "./define-tool.ts";

/** Files beyond this size are neither read nor changed. */
export const MAX_FILE_BYTES: number = 10 * 1024 * 1024;

/** A file of the workspace, as it is. */
export interface WorkspaceFile {
  bytes: Buffer;
  /** File type and permissions. */
  mode: number;
}

/**
 * Reads a file of the workspace without following a link at any part; undefined if there is none. `directory` is the data
 * directory: a hard link to one of its files is refused.
 */
export async function readWorkspaceFile(
  root: string,
  file: string,
  directory?: string,
): Promise<WorkspaceFile | undefined> {
  const folder = await openFolder(root, file);
  if (!folder) return undefined;
  try {
    const at = folder.at(path.posix.basename(file));
    const handle = await openRegular(at, file);
    if (!handle) return undefined;
    try {
      const { size, mode, nlink, dev, ino } = await handle.stat();
      if (size > MAX_FILE_BYTES) {
        throw new ToolProblem(
          `${file} has ${size} bytes. Files of more than ${MAX_FILE_BYTES} bytes are not read or edited whole: search it with grep, or look at a part of it with a command.`,
        );
      }
      if (nlink > 1 && directory !== undefined && (await isOwnFile(directory, dev, ino))) {
        throw new ToolProblem(`${file} is refused: it is a hard link to a file of Spoor's data.`);
      }
      return { bytes: await readAtMost(handle, file), mode };
    } finally {
      await handle.close();
    }
  } finally {
    await folder.close();
  }
}

/** The text of a file. Throws if it is binary. A byte order mark is no part of the text. */
export function textOf(file: string, { bytes }: WorkspaceFile): string {
  if (isBinary(bytes)) {
    const [a, b] = bytes;
    const isWide = (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff);
    const what = isWide ? "a text in UTF-16, which these tools cannot read" : "a binary file";
    throw new ToolProblem(`${file} is ${what} (${bytes.length} bytes).`);
  }
  return bytes.toString("utf8").replace(/^\uFEFF/, "");
}

/** Names a content, so that a change since it was read can be noticed. */
export const revisionOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex").slice(0, 12);

async function openRegular(at: string, file: string): Promise<FileHandle | undefined> {
  const found = await lstat(at).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (!found) return undefined;
  if (found.isSymbolicLink()) throw new ToolProblem(`${file} is refused: it is a symbolic link.`);
  if (found.isDirectory()) throw new ToolProblem(`${file} is a folder. Use list_dir to look into it.`);
  if (!found.isFile()) throw new ToolProblem(`${file} is refused: it is not a regular file.`);
  const handle = await open(at, FLAGS).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    if (error.code === "ELOOP") throw new ToolProblem(`${file} is refused: it is a symbolic link.`);
    throw error;
  });
  if (handle && !(await handle.stat()).isFile()) {
    await handle.close();
    throw new ToolProblem(`${file} is refused: it is not a regular file.`);
  }
  return handle;
}

// Without O_NONBLOCK, opening a pipe that takes the place of the file would wait for its writer.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** A file can grow while it is read. */
async function readAtMost(handle: FileHandle, file: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for (;;) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(256 * 1024));
    if (bytesRead === 0) return Buffer.concat(pieces);
    size += bytesRead;
    if (size > MAX_FILE_BYTES) throw new ToolProblem(`${file} grows while it is read, beyond ${MAX_FILE_BYTES} bytes.`);
    pieces.push(buffer.subarray(0, bytesRead));
  }
}

/** Whether a file is one of those directly in the data directory, such as the token or the log. */
async function isOwnFile(directory: string, dev: number, ino: number): Promise<boolean> {
  for (const name of await readdir(directory).catch(() => [])) {
    const found = await stat(path.join(directory, name)).catch(() => undefined);
    if (found?.ino === ino && found.dev === dev) return true;
  }
  return false;
}
