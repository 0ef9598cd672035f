/** How long a run that was ended by a signal still waits for a log that another process holds. */
const GRACE_MS = 5_000;
const ends = ["SIGTERM", "SIGHUP"] as const;

/**
 * Ends waiting for the log when a person or the system wants the process gone: the second Ctrl-C and every other signal
 * that ends the run leave it a few seconds. Before the run is in the log and after its end, any signal ends the waiting
 * at once.
 */
export function createLockWaitAbort(): LockWaitAbort {
  const controller = new AbortController();
  let interrupts = 0;
  let isRunning = false;
  let timer: NodeJS.Timeout | undefined;
  const soon = (): void => {
    if (!isRunning) controller.abort();
    else timer ??= setTimeout(() => controller.abort(), GRACE_MS).unref();
  };
  const onInterrupt = (): void => {
    interrupts += 1;
    if (interrupts > 1 || !isRunning) soon();
  };
  process.on("SIGINT", onInterrupt);
  for (const signal of ends) process.on(signal, soon);
  return {
    signal: controller.signal,
    running(is) {
      isRunning = is;
    },
    release() {
      clearTimeout(timer);
      process.off("SIGINT", onInterrupt);
      for (const signal of ends) process.off(signal, soon);
    },
  };
}

export interface LockWaitAbort {
  readonly signal: AbortSignal;
  /** Whether the run is in the log and has not ended. */
  running(is: boolean): void;
  release(): void;
}
