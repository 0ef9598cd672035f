import { constants } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import path from "node:path";
import { unifiedDiff } from "../../agents/kit/diff.ts";
import { makeDirectory } from "../../log/make-directory.ts";
import { resolveInside } from "./paths.ts";
import { protectionOf } from "./protected.ts";
import { WorkspaceError } from "./workspace-error.ts";

export { protectionOf, resolveInside };

/** The largest text file that is read or written. For larger files an agent has its own tools. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;

export interface Lines {
  /** The first line, counted from 1. */
  line?: number | undefined;
  limit?: number | undefined;
}

/** Reads a file of the workspace, or some of its lines with their line ends. */
export async function readText(root: string, named: string, lines: Lines = {}): Promise<string> {
  const file = await resolveInside(root, named);
  const text = await withFile(file, named, READ, async (handle) => decode(await contentOf(handle, named), named));
  return cut(text, lines);
}

export interface Written {
  existed: boolean;
  /** The old content, if it was text. */
  before: string | undefined;
}

/** Writes a text file and creates missing folders. `permitted` is the real path for which permission was given. */
export async function writeText(root: string, named: string, content: string, permitted: string): Promise<Written> {
  const bytes = Buffer.from(content, "utf8");
  if (bytes.length > MAX_FILE_BYTES) throw tooLarge(named);
  const file = await resolveInside(root, named);
  if (file !== permitted) throw new WorkspaceError("invalid", `${named} has moved since permission was given.`);
  makeDirectory(path.dirname(file));
  const existed = await lstat(file).then(
    () => true,
    () => false,
  );
  return withFile(file, named, WRITE, async (handle) => {
    // The folder may have been replaced by a link since it was checked.
    if ((await realpath(file)) !== file)
      throw new WorkspaceError("invalid", `${named} has moved since permission was given.`);
    const before = existed ? await textBefore(handle, named) : undefined;
    await handle.truncate(0);
    for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at, bytes.length - at, at)).bytesWritten;
    return { existed, before };
  });
}

/** Opens a regular file only: no link, no folder, and no pipe or device on which reading would hang. */
async function withFile<T>(
  file: string,
  named: string,
  flags: number,
  use: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  const found = await lstat(file).catch(() => undefined);
  if (found && !found.isFile()) throw new WorkspaceError("invalid", `${named} is not a regular file.`);
  const handle = await open(file, flags | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0), 0o666).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") throw new WorkspaceError("missing", `${named} does not exist.`);
      throw new WorkspaceError("failed", `${named} cannot be opened (${error.code}).`);
    },
  );
  try {
    const opened = await handle.stat();
    if (!opened.isFile()) throw new WorkspaceError("invalid", `${named} is not a regular file.`);
    if (opened.nlink > 1) throw hardLinked(named, opened.nlink);
    return await use(handle);
  } finally {
    await handle.close();
  }
}

async function contentOf(handle: FileHandle, named: string): Promise<Buffer> {
  const { size } = await handle.stat();
  if (size > MAX_FILE_BYTES) throw tooLarge(named);
  return handle.readFile();
}

function decode(bytes: Buffer, named: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new WorkspaceError("invalid", `${named} is not UTF-8 text.`);
  }
}

const textBefore = async (handle: FileHandle, named: string): Promise<string | undefined> => {
  try {
    return decode(await contentOf(handle, named), named);
  } catch {
    return undefined;
  }
};

function cut(text: string, { line = 1, limit }: Lines): string {
  if (line <= 1 && limit === undefined) return text;
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const from = Math.max(0, line - 1);
  return lines.slice(from, limit === undefined ? undefined : from + limit).join("");
}

/** The other names of a hard-linked file cannot be found, so they may be outside the workspace. */
const hardLinked = (named: string, count: number): WorkspaceError =>
  new WorkspaceError(
    "invalid",
    `${named} is one of ${count} hard links to the same file, which may be one outside the workspace. ` +
      "Make a copy of it to work on.",
  );

const tooLarge = (named: string): WorkspaceError =>
  new WorkspaceError("invalid", `${named} is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB.`);

const READ = constants.O_RDONLY;
const WRITE = constants.O_RDWR | constants.O_CREAT;

/** The diff of a write; undefined if the old content is not text. */
export async function diffOfWrite(root: string, named: string, content: string): Promise<string | undefined> {
  try {
    return unifiedDiff(named, await readText(root, named), content);
  } catch (error) {
    const isMissing = error instanceof WorkspaceError && error.reason === "missing";
    return isMissing ? unifiedDiff(named, "", content) : undefined;
  }
}
