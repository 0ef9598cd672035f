import { accessSync, constants, lstatSync, statSync } from "node:fs";
import path from "node:path";
import { LogError } from "../errors.ts";

/**
 * Refuses a place where others could put files in the way of the log: a directory that they may write to, and a link in the
 * place of a file that is written there. Windows has other means for this.
 */
export function refuseUnsafe(directory: string): void {
  if (process.platform === "win32") return;
  const { mode, gid } = statSync(directory);
  const isForAll = (mode & 0o002) !== 0;
  const isForGroup = (mode & 0o020) !== 0 && !isOwnGroup(gid);
  if ((isForAll || isForGroup) && !isReadOnly(directory)) {
    throw new LogError(
      "unsafe",
      `Other users may write to ${directory}, and so replace or read what is recorded there.`,
    );
  }
  for (const name of files) {
    const file = path.join(directory, name);
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new LogError("linked", `${file} is a symbolic link, which Spoor does not follow.`);
  }
}

/** Some disks that cannot be written to show modes that say the opposite, and nobody can change those. */
function isReadOnly(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EROFS";
  }
}

const files = ["spoor.db", "spoor.db-wal", "spoor.db-shm", "spoor.db.marks", "spoor.db.last", "server.lock"];

/** Many systems give every user a group of their own, with the same number. Others have one group for all users. */
const isOwnGroup = (gid: number): boolean => gid === process.getegid?.() && gid === process.geteuid?.();
