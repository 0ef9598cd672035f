import type { Tree } from "./process-tree.ts";

/** Controls of a running process. Each returns whether it took effect: `false` means that the process is gone. */
export interface Controls {
  /** Sends SIGINT to the process group. */
  interrupt(): boolean;
  /** Sends SIGTERM, and SIGKILL to the whole tree if the process still runs after the grace period. */
  terminate(): boolean;
  /** Sends SIGKILL to the whole tree. */
  kill(): boolean;
  /** Stops the whole tree with SIGSTOP until `resume`, `interrupt` or `terminate`. */
  pause(): boolean;
  /** Continues the whole tree with SIGCONT. */
  resume(): boolean;
}

export function createControls(tree: Tree, gracePeriodMs: number): Controls & { release(): void } {
  let isOver = false;
  let isPaused = false;
  let deadline: NodeJS.Timeout | undefined;

  const signalAll = (signal: NodeJS.Signals): boolean => !isOver && tree.signalAll(signal);

  const ask = (signal: NodeJS.Signals): boolean => {
    const sent = !isOver && tree.signalGroup(signal);
    // A stopped process handles the signal only after SIGCONT.
    if (isPaused) controls.resume();
    return sent;
  };

  const controls = {
    interrupt: () => ask("SIGINT"),
    terminate() {
      if (isOver || deadline !== undefined) return !isOver;
      deadline = setTimeout(() => signalAll("SIGKILL"), gracePeriodMs);
      return ask("SIGTERM");
    },
    kill: () => signalAll("SIGKILL"),
    pause() {
      isPaused = signalAll("SIGSTOP");
      return isPaused;
    },
    resume() {
      isPaused = false;
      return signalAll("SIGCONT");
    },
    /** Call this when the process is gone. No signal is sent after that, because its pid may be reused. */
    release() {
      isOver = true;
      clearTimeout(deadline);
    },
  };
  return controls;
}
