/** How long a run that was ended by a signal still waits for a log that another process has locked. */
const GRACE_MS = 5_000;
const ends = ["SIGTERM", "SIGHUP"] as const;

/**
 * Aborts the wait for a locked log when a signal asks the process to end. While the run is being recorded, the second Ctrl-C
 * and every other ending signal abort the wait after a few seconds; before and after that, any signal aborts it at once.
 */
export function createLockWaitAbort(): LockWaitAbort {
  const controller = new AbortController();
  let interrupts = 0;
  let isRunning = false;
  let timer: NodeJS.Timeout | undefined;
  const abortSoon = (): void => {
    if (!isRunning) controller.abort();
    else timer ??= setTimeout(() => controller.abort(), GRACE_MS).unref();
  };
  const onInterrupt = (): void => {
    interrupts += 1;
    if (interrupts > 1 || !isRunning) abortSoon();
  };
  process.on("SIGINT", onInterrupt);
  for (const signal of ends) process.on(signal, abortSoon);
  return {
    signal: controller.signal,
    running(is) {
      isRunning = is;
    },
    release() {
      clearTimeout(timer);
      process.off("SIGINT", onInterrupt);
      for (const signal of ends) process.off(signal, abortSoon);
    },
  };
}

export interface LockWaitAbort {
  readonly signal: AbortSignal;
  /** Says whether the run has begun in the log and has not ended. */
  running(is: boolean): void;
  release(): void;
}
