/** Something that components read with `useSyncExternalStore`. */
export interface Store<Value> {
  readonly subscribe: (listener: () => void) => () => void;
  readonly read: () => Value;
}

/** A value that listeners are told about. `start` runs with the first listener, and what it returns after the last. */
export function createCell<Value>(
  first: Value,
  start?: () => () => void,
): Store<Value> & { readonly set: (value: Value) => void } {
  const listeners = new Set<() => void>();
  let value = first;
  let stop: (() => void) | undefined;
  return {
    read: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      if (listeners.size === 1) stop = start?.();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stop?.();
        stop = undefined;
      };
    },
  };
}

/** Values by key, of which most keys have none. Listeners are told about every change. */
export function createKeyedCell<Value>(): {
  readonly subscribe: Store<unknown>["subscribe"];
  readonly read: (key: string) => Value | undefined;
  readonly set: (key: string, value: Value | undefined) => void;
} {
  const { read, set, subscribe } = createCell<ReadonlyMap<string, Value>>(new Map());
  return {
    subscribe,
    read: (key) => read().get(key),
    set(key, value) {
      const next = new Map(read());
      if (value === undefined) next.delete(key);
      else next.set(key, value);
      set(next);
    },
  };
}
