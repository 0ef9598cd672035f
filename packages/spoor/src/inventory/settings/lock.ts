import { mkdir, rmdir, stat, utimes } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { SpoorError } from "../../failures/errors.ts";

export interface LockOptions {
  /** How long to wait for it. */
  waitMs?: number;
  /** A lock not touched for this long was left behind by someone who died. */
  staleMs?: number;
}

/**
 * Does `work` while holding the lock of `file`: a folder beside it, as the proper-lockfile package has it, which some
 * agents lock their own settings with.
 */
export async function withLock<T>(file: string, work: () => Promise<T>, options: LockOptions = {}): Promise<T> {
  const { waitMs = 5000, staleMs = 10_000 } = options;
  const lock = `${file}.lock`;
  const deadline = performance.now() + waitMs;
  while (!(await take(lock))) {
    if ((await isStale(lock, staleMs)) && (await drop(lock))) continue;
    if (performance.now() >= deadline) {
      throw new SpoorError(
        "CONFIG_LOCK_ERROR",
        `${file} is being changed by another program. Try again, or remove ${lock} if none is.`,
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
    throw new SpoorError("CONFIG_ERROR", `${lock} cannot be made: ${(error as Error).message}`, { cause: error });
  }
}

async function isStale(lock: string, staleMs: number): Promise<boolean> {
  const found = await stat(lock).catch(() => undefined);
  return found?.isDirectory() === true && Date.now() - found.mtimeMs > staleMs;
}

/** Whether it is gone. One with something in it is not of this kind: whoever waits for it is told at the deadline. */
const drop = (lock: string): Promise<boolean> =>
  rmdir(lock).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === "ENOENT",
  );
