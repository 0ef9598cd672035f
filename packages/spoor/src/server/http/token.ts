import { randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { link, open, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { makeDirectory } from "../../log/make-directory.ts";

/**
 * Reads the token of a data directory and creates it at first use. Only the owner can read the file. Links and files of
 * other users are refused. Processes that start at the same time get the same token.
 */
export async function tokenOf(directory: string): Promise<string> {
  makeDirectory(directory, 0o700);
  const file = path.join(directory, "token");
  const existing = await read(file);
  if (existing) return existing;
  await create(file).catch((error) => {
    throw creationError(file, error);
  });
  const token = await read(file);
  if (!token) throw new Error(`${file} was removed while it was created. Start again.`);
  return token;
}

async function create(file: string): Promise<void> {
  const fresh = `${file}.${randomBytes(8).toString("hex")}`;
  const flag = O_CREAT | O_EXCL | O_WRONLY | (O_NOFOLLOW ?? 0);
  try {
    await writeFile(fresh, `${createToken()}\n`, { flag, mode: 0o600, flush: true });
    // Creating a link is atomic and never replaces a file, so the first of several processes wins.
    await link(fresh, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(fresh, { force: true });
  }
}

function creationError(file: string, cause: NodeJS.ErrnoException): Error {
  const isFull = cause.code === "ENOSPC" || cause.code === "EDQUOT";
  const why = isFull ? "the disk is full. Free some space and start again." : `${cause.message}.`;
  return new Error(`The server cannot write its token to ${file}: ${why}`, { cause });
}

/** 256 random bits as text that needs no quoting. */
export const createToken = (): string => randomBytes(32).toString("base64url");

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;

async function read(file: string): Promise<string | undefined> {
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    handle = await open(file, O_RDONLY | (O_NOFOLLOW ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP")
      throw new Error(
        `${file} is a symbolic link, and the token is not read through links. Remove it; a new token is created at the next start.`,
      );
    throw error;
  }
  try {
    refuseUnsafe(file, await handle.stat());
    const token = (await handle.readFile("utf8")).trim();
    if (!isToken(token))
      throw new Error(`${file} does not contain a valid token. Remove it; a new token is created at the next start.`);
    return token;
  } finally {
    await handle.close();
  }
}

/** At least 128 bits, in characters that are allowed in a header and in a WebSocket subprotocol. */
export const isToken = (text: string): boolean => /^[A-Za-z0-9_-]{22,256}$/.test(text);

function refuseUnsafe(file: string, stats: Stats): void {
  if (!stats.isFile()) throw new Error(`${file} is not a file. Remove it; a new token is created at the next start.`);
  // Windows has no such owners and modes.
  if (!process.getuid) return;
  if (stats.uid !== process.getuid() && process.getuid() !== 0)
    throw new Error(
      `${file} belongs to another user, so its token is not used. Remove it or choose another directory with --data.`,
    );
  if (stats.mode & 0o077) throw new Error(`Other users can read ${file}. Run: chmod 600 ${file}`);
}
