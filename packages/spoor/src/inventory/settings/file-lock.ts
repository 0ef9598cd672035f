import { mkdir, rmdir, stat, utimes } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { SpoorError } from "../../failures/errors.ts";

/** How long to wait for another process that changes the same settings file. */
export interface SettingsLockOptions {
  /** How long to wait for the lock. */
  waitMs?: number;
  /** A lock not renewed for this long belongs to a process that died. */
  staleMs?: number;
}

/**
 * Runs `work` while holding the lock of `file`. The lock is a folder beside the file, in the format of the proper-lockfile
 * package, because some agents lock their own settings with that package.
 */
export async function withLock<T>(file: string, work: () => Promise<T>, options: SettingsLockOptions = {}): Promise<T> {
  const { waitMs = 5000, staleMs = 10_000 } = options;
  const lock = `${file}.lock`;
  const deadline = performance.now() + waitMs;
  while (!(await take(lock))) {
    if ((await isStale(lock, staleMs)) && (await drop(lock))) continue;
    if (performance.now() >= deadline) {
      throw new SpoorError(
        "CONFIG_LOCK_ERROR",
        `Another program holds the lock of ${file}. Try again, or remove ${lock} if no program is using the file.`,
      );
    }
    await setTimeout(20 + Math.random() * 30);
  }
  const touch = setInterval(() => void utimes(lock, new Date(), new Date()).catch(() => {}), staleMs / 4);
  try {
    return await work();
  } finally {
    clearInterval(touch);
    await drop(lock);
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw new SpoorError("CONFIG_ERROR", `Cannot create the lock ${lock}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

async function isStale(lock: string, staleMs: number): Promise<boolean> {
  const found = await stat(lock).catch(() => undefined);
  return found?.isDirectory() === true && Date.now() - found.mtimeMs > staleMs;
}

/** Returns whether the lock is gone. A folder with content is not one of our locks and stays. */
const drop = (lock: string): Promise<boolean> =>
  rmdir(lock).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === "ENOENT",
  );
