import { mkdirSync, statSync } from "node:fs";
import path from "node:path";

/**
 * Creates a directory and its missing parents. Does not use Node's `recursive`, which never returns on a file system that
 * reports a missing parent although it exists, as `/proc` does.
 */
export function makeDirectory(directory: string, mode = 0o777): void {
  const target = path.resolve(directory);
  try {
    make(target, mode);
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    const why = reasons[code] ?? message;
    throw Object.assign(new Error(`the directory ${target} cannot be created: ${why}`, { cause: error }), { code });
  }
}

function make(directory: string, mode: number): void {
  try {
    mkdirSync(directory, { mode });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (isDirectory(directory)) return;
    const parent = path.dirname(directory);
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || isDirectory(parent)) throw error;
    make(parent, mode);
    // The parent exists now, so this does not recurse any further.
    make(directory, mode);
  }
}

const isDirectory = (place: string): boolean => {
  try {
    return statSync(place).isDirectory();
  } catch {
    return false;
  }
};

const reasons: Record<string, string> = {
  EACCES: "you have no permission to write to its parent directory",
  EPERM: "the operating system does not permit it",
  EROFS: "its file system is read-only",
  ENOENT: "its file system does not accept new directories",
  ENOTDIR: "one of its parents is a file, not a directory",
  EEXIST: "there is something else with that name",
  ENOSPC: "the disk is full",
  EDQUOT: "your disk quota is exhausted",
  ELOOP: "its path has a loop of symbolic links",
  ENAMETOOLONG: "its name is too long",
};
