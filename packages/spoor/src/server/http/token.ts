import { randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { link, open, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { makeDirectory } from "../../log/make-directory.ts";

/**
 * The token of a data directory, made at first use. Only its owner can read it, and a link or a file of someone else in
 * its place is refused, not followed. Several processes that start at once agree on one.
 */
export async function tokenOf(directory: string): Promise<string> {
  makeDirectory(directory, 0o700);
  const file = path.join(directory, "token");
  const existing = await read(file);
  if (existing) return existing;
  await make(file).catch((error) => {
    throw unmade(file, error);
  });
  const token = await read(file);
  if (!token) throw new Error(`${file} vanished while it was made.`);
  return token;
}

async function make(file: string): Promise<void> {
  const fresh = `${file}.${randomBytes(8).toString("hex")}`;
  const flag = O_CREAT | O_EXCL | O_WRONLY | (O_NOFOLLOW ?? 0);
  try {
    await writeFile(fresh, `${createToken()}\n`, { flag, mode: 0o600, flush: true });
    // A link appears whole or not at all, and never over what is there: the first of several wins.
    await link(fresh, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(fresh, { force: true });
  }
}

function unmade(file: string, cause: NodeJS.ErrnoException): Error {
  const isFull = cause.code === "ENOSPC" || cause.code === "EDQUOT";
  const why = isFull ? "the disk is full. Make room, then start again." : `${cause.message}.`;
  return new Error(`No token could be written to ${file}: ${why}`, { cause });
}

/** 256 random bits, as text that needs no quoting anywhere. */
export const createToken = (): string => randomBytes(32).toString("base64url");

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;

async function read(file: string): Promise<string | undefined> {
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    handle = await open(file, O_RDONLY | (O_NOFOLLOW ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP") throw new Error(`${file} is a link, and a token is not read through one. Remove it.`);
    throw error;
  }
  try {
    refuseUnsafe(file, await handle.stat());
    const token = (await handle.readFile("utf8")).trim();
    if (!isToken(token)) throw new Error(`${file} holds no token. Remove it, and a new one is made.`);
    return token;
  } finally {
    await handle.close();
  }
}

/** At least 128 bits' worth of characters that fit a header and a WebSocket subprotocol. */
export const isToken = (text: string): boolean => /^[A-Za-z0-9_-]{22,256}$/.test(text);

function refuseUnsafe(file: string, stats: Stats): void {
  if (!stats.isFile()) throw new Error(`${file} is not a file. Remove it, and a token is made.`);
  // Windows has neither owners nor modes in this sense.
  if (!process.getuid) return;
  if (stats.uid !== process.getuid() && process.getuid() !== 0) throw new Error(`${file} belongs to someone else.`);
  if (stats.mode & 0o077) throw new Error(`Others can read ${file}. Run: chmod 600 ${file}`);
}
