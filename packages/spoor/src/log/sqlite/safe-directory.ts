import { accessSync, constants, lstatSync, statSync } from "node:fs";
import path from "node:path";
import { LogError } from "../errors.ts";

/**
 * Throws for a directory in which other users could replace the log's files: one that they may write to, or one where a
 * symbolic link has the name of a file of the log. Does not check on Windows, which has no such modes.
 */
export function refuseUnsafe(directory: string): void {
  if (process.platform === "win32") return;
  const { mode, gid } = statSync(directory);
  const isForAll = (mode & 0o002) !== 0;
  const isForGroup = (mode & 0o020) !== 0 && !isOwnGroup(gid);
  if ((isForAll || isForGroup) && !isReadOnly(directory)) {
    throw new LogError(
      "unsafe",
      `Other users may write to ${directory}, so they could replace or read the recordings in it.`,
    );
  }
  for (const name of files) {
    const file = path.join(directory, name);
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new LogError(
        "linked",
        `${file} is a symbolic link. Spoor does not follow symbolic links in its data directory.`,
      );
  }
}

/** Some read-only disks show modes that allow writing, and nobody can change those modes. */
function isReadOnly(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EROFS";
  }
}

/** The locks of those who export runs: for as long as the log is followed, and while something is exported. */
const exporterLocks = ["otlp-follow.lock", "otlp.lock"];

const files = [
  "spoor.db",
  "spoor.db-wal",
  "spoor.db-shm",
  "spoor.db.marks",
  "spoor.db.last",
  "server.lock",
  ...exporterLocks,
];

/** Many systems give every user a group of their own, with the same number. Others put all users into one group. */
const isOwnGroup = (gid: number): boolean => gid === process.getegid?.() && gid === process.geteuid?.();
