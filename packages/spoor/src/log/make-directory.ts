import { mkdirSync, statSync } from "node:fs";
import path from "node:path";

/**
 * Makes a directory and those above it that are missing. Node's own `recursive` is not used: it never returns where a file
 * system answers that a directory's parent does not exist although it does, as `/proc` does.
 */
export function makeDirectory(directory: string, mode = 0o777): void {
  const target = path.resolve(directory);
  try {
    make(target, mode);
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    const why = reasons[code] ?? message;
    throw Object.assign(new Error(`the directory ${target} cannot be made: ${why}`, { cause: error }), { code });
  }
}

function make(directory: string, mode: number): void {
  try {
    mkdirSync(directory, { mode });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (isDirectory(directory)) return;
    const parent = path.dirname(directory);
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || isDirectory(parent)) throw error;
    make(parent, mode);
    // The parent exists now, so this goes no further up.
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
  EACCES: "you may not write to the directory above it",
  EPERM: "the system does not permit it",
  EROFS: "its file system is read-only",
  ENOENT: "its file system does not take new directories",
  ENOTDIR: "a file stands in its way",
  EEXIST: "something that is not a directory has its name",
  ENOSPC: "the disk is full",
  EDQUOT: "your share of the disk is full",
  ELOOP: "symbolic links lead in a circle",
  ENAMETOOLONG: "its name is too long",
};
