import { lstatSync, statSync } from "node:fs";
import { LogError } from "../errors.ts";

/**
 * Refuses a place where others could put files in the way of the log: a directory that they may write to, and a link in the
 * place of one of the log's files. Windows has other means for this.
 */
export function refuseUnsafe(directory: string, database: string): void {
  if (process.platform === "win32") return;
  const { mode, gid } = statSync(directory);
  const isForAll = (mode & 0o002) !== 0;
  // Many systems give every user a group of their own.
  const isForGroup = (mode & 0o020) !== 0 && gid !== process.getegid?.();
  if (isForAll || isForGroup) {
    throw new LogError(
      "unsafe",
      `Other users may write to ${directory}, and so replace or read what is recorded there.`,
    );
  }
  for (const end of ["", "-wal", "-shm", ".marks", ".last"]) {
    const file = `${database}${end}`;
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new LogError("unsafe", `${file} is a symbolic link, which Spoor does not follow.`);
  }
}
