import { createContext, useContext, useSyncExternalStore } from "react";

/** Which cards are open. It outlives the rows, because rows that are out of view are not mounted. */
interface Openness {
  /** Whether a card is open. One that opened by itself once stays open, so that nothing moves when it is done. */
  isOpen(key: string, byItself: boolean): boolean;
  toggle(key: string): void;
  open(key: string): void;
  /** Opens or closes all cards, also those to come. */
  setAll(isOpen: boolean): void;
  readonly all: boolean | undefined;
  subscribe(listener: () => void): () => void;
  version(): number;
}

export function createOpenness(onToggle: () => void): Openness {
  const chosen = new Map<string, boolean>();
  const opened = new Set<string>();
  const listeners = new Set<() => void>();
  let all: boolean | undefined;
  let version = 0;
  const changed = () => {
    version += 1;
    for (const listener of listeners) listener();
  };
  const isOpen = (key: string, byItself: boolean) => {
    if (byItself) opened.add(key);
    return chosen.get(key) ?? all ?? opened.has(key);
  };
  return {
    isOpen,
    toggle(key) {
      chosen.set(key, !isOpen(key, false));
      onToggle();
      changed();
    },
    open(key) {
      if (isOpen(key, false)) return;
      chosen.set(key, true);
      changed();
    },
    setAll(next) {
      chosen.clear();
      all = next;
      changed();
    },
    get all() {
      return all;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    version: () => version,
  };
}

export const OpennessContext = createContext<Openness>(createOpenness(() => {}));

/** Whether a card is open, and how to change it. */
export function useOpen(key: string, byItself: boolean): [isOpen: boolean, toggle: () => void] {
  const openness = useContext(OpennessContext);
  useSyncExternalStore(openness.subscribe, openness.version);
  return [openness.isOpen(key, byItself), () => openness.toggle(key)];
}
