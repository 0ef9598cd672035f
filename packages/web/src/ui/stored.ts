import { useSyncExternalStore } from "react";

/** One value in local storage. A page whose storage is blocked keeps it until it is closed. */
export interface Stored<Value> {
  readonly read: () => Value;
  readonly write: (value: Value) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

/** `parse` gets what the storage holds, or null, and must accept anything: other pages and people write there, too. */
export function stored<Value>(
  key: string,
  parse: (text: string | null) => Value,
  print: (value: Value) => string | null,
): Stored<Value> {
  const name = `spoor.${key}`;
  const listeners = new Set<() => void>();
  let text = readItem(name);
  let value = parse(text);
  const take = (next: string | null) => {
    if (next === text) return;
    text = next;
    value = parse(next);
    for (const listener of listeners) listener();
  };
  const onStorage = (event: StorageEvent) => {
    if (event.key === name || event.key === null) take(readItem(name));
  };
  return {
    read: () => value,
    write(next) {
      const printed = print(next);
      writeItem(name, printed);
      take(printed);
    },
    subscribe(listener) {
      if (listeners.size === 0) addEventListener("storage", onStorage);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) removeEventListener("storage", onStorage);
      };
    },
  };
}

/** The value, kept up to date when this tab or another one changes it. */
export const useStored = <Value>({ subscribe, read }: Stored<Value>): Value => useSyncExternalStore(subscribe, read);

/** A switch that is on unless somebody turned it off, or the other way round. */
export const storedSwitch = (key: string, isOnAtFirst: boolean): Stored<boolean> =>
  stored(
    key,
    (text) => (text === null ? isOnAtFirst : text === "on"),
    (isOn) => (isOn ? "on" : "off"),
  );

function readItem(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function writeItem(name: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(name);
    else localStorage.setItem(name, text);
  } catch {
    // The value still holds for this page.
  }
}
