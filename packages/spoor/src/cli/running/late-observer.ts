import type { RunObserver } from "../../mux/observer.ts";

/** An observer that is there at once and keeps what it sees until the real one is: starting the agent need not wait for it. */
export function createLateObserver(): LateObserver {
  let kept: { at: number; call: (observer: RunObserver) => void }[] | undefined = [];
  let target: RunObserver = {};
  let replayed: number | undefined;
  const pass = (call: (observer: RunObserver) => void): void => {
    if (kept) kept.push({ at: Date.now(), call });
    else call(target);
  };
  return {
    now: () => replayed ?? Date.now(),
    observer: {
      onStart: (start) => pass((observer) => observer.onStart?.(start)),
      onSaid: (said) => pass((observer) => observer.onSaid?.(said)),
      onEvent: (event) => pass((observer) => observer.onEvent?.(event)),
      onLine: (line) => pass((observer) => observer.onLine?.(line)),
      room: () => (kept ? undefined : target.room?.()),
    },
    attach(real) {
      target = real;
      for (const { at, call } of kept ?? []) {
        replayed = at;
        call(real);
      }
      replayed = undefined;
      kept = undefined;
    },
  };
}

export interface LateObserver {
  observer: RunObserver;
  attach(real: RunObserver): void;
  /** The time for whoever is attached: while it is told what was kept, the time of that. */
  now(): number;
}
