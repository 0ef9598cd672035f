import type { Tree } from "./process-tree.ts";

/** What can be done to a running process. Each says whether it could be done: `false` means that the process is gone. */
export interface Controls {
  /** SIGINT: stop what you are doing. */
  interrupt(): boolean;
  /** SIGTERM, and SIGKILL for the whole tree if the process is still there after the grace period. */
  terminate(): boolean;
  /** SIGKILL for the whole tree. */
  kill(): boolean;
  /** SIGSTOP for the whole tree, until `resume` or until it is told to end. */
  pause(): boolean;
  resume(): boolean;
}

export function createControls(tree: Tree, gracePeriodMs: number): Controls & { release(): void } {
  let isOver = false;
  let isPaused = false;
  let deadline: NodeJS.Timeout | undefined;

  const signalAll = (signal: NodeJS.Signals): boolean => !isOver && tree.signalAll(signal);

  const ask = (signal: NodeJS.Signals): boolean => {
    const sent = !isOver && tree.signalGroup(signal);
    // A stopped process would not notice before it is woken.
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
    /** The process is gone; its id may soon be another's. */
    release() {
      isOver = true;
      clearTimeout(deadline);
    },
  };
  return controls;
}
