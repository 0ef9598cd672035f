import type { Log } from "../../src/log/log.ts";

/** A log as a process sees it that dies after a number of commits: what comes later is not written. */
export interface CutLog {
  log: Log;
  /** Commits so far. */
  readonly commits: number;
  readonly isDead: boolean;
  /** Resolves when no commit is being written. */
  idle(): Promise<void>;
}

/** Lets `after` commits through, and refuses the others. */
export function cutLog(whole: Log, after: number): CutLog {
  let commits = 0;
  let writing: Promise<unknown> = Promise.resolve();
  const append: Log["append"] = (batch) => {
    if (commits >= after) return Promise.reject(new Error("The process is dead."));
    commits += 1;
    const written = whole.append(batch);
    writing = Promise.allSettled([writing, written]);
    return written;
  };
  const log = new Proxy(whole, {
    get(target, name) {
      if (name === "append") return append;
      const value = Reflect.get(target, name) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return {
    log,
    get commits() {
      return commits;
    },
    get isDead() {
      return commits >= after;
    },
    async idle() {
      // The recorder writes what was added in the same tick.
      await new Promise((resolve) => setImmediate(resolve));
      await writing;
    },
  };
}
