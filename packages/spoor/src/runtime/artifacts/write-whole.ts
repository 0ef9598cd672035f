import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { open, rename, unlink, utimes } from "node:fs/promises";
import path from "node:path";
import { makeDirectory } from "../../log/make-directory.ts";

/**
 * Writes a private file so that it is either whole or not there, and survives a power loss when this resolves. Nobody can
 * prepare the temporary file: its name is random, and it must not exist.
 */
export async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  const folder = path.dirname(file);
  makeDirectory(folder, 0o700);
  const temporary = `${file}.${randomBytes(8).toString("hex")}.tmp`;
  const handle = await open(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
    await handle.close();
    await rename(temporary, file);
  } catch (error) {
    await handle.close().catch(() => {});
    await unlink(temporary).catch(() => {});
    throw error;
  }
  for (const each of [folder, path.dirname(folder), path.dirname(path.dirname(folder))]) await syncFolder(each);
}

/** Sets the file's time to now. False if there is no such file. */
export async function touch(file: string): Promise<boolean> {
  const now = new Date();
  try {
    await utimes(file, now, now);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder.
  const handle = await open(folder, "r").catch(() => undefined);
  try {
    await handle?.sync();
  } catch {
    // Some file systems cannot sync a folder.
  } finally {
    await handle?.close();
  }
}
