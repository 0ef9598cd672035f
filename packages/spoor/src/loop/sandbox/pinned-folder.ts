import { closeSync, constants, fchmodSync, fstatSync, openSync, readlinkSync } from "node:fs";

/**
 * Opens a folder of which no part may be a link, and hands over how names in it are reached, without going through its path
 * again: another command may swap a part of that path for a link to somewhere outside. A folder that
 * was made read-only becomes writable. Returns undefined if it is not there.
 */
export function inPinnedFolder<T>(folder: string, use: (at: (name: string) => string) => T): T | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  } catch {
    return undefined;
  }
  try {
    const pinned = `/proc/self/fd/${descriptor}`;
    if (readlinkSync(pinned) !== folder) return undefined;
    const { mode } = fstatSync(descriptor);
    if ((mode & 0o300) !== 0o300) fchmodSync(descriptor, (mode & 0o777) | 0o300);
    return use((name) => `${pinned}/${name}`);
  } finally {
    closeSync(descriptor);
  }
}
