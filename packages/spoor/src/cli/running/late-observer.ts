import type { RunObserver } from "../../mux/observer.ts";

/** An observer that is there at once and keeps what it sees until the real one is: starting the agent need not wait for it. */
export function createLateObserver(): { observer: RunObserver; attach(real: RunObserver): void } {
  let kept: ((observer: RunObserver) => void)[] | undefined = [];
  let target: RunObserver = {};
  const pass = (call: (observer: RunObserver) => void): void => {
    if (kept) kept.push(call);
    else call(target);
  };
  return {
    observer: {
      onStart: (start) => pass((observer) => observer.onStart?.(start)),
      onSaid: (said) => pass((observer) => observer.onSaid?.(said)),
      onEvent: (event) => pass((observer) => observer.onEvent?.(event)),
      onLine: (line) => pass((observer) => observer.onLine?.(line)),
    },
    attach(real) {
      target = real;
      for (const call of kept ?? []) call(real);
      kept = undefined;
    },
  };
}
