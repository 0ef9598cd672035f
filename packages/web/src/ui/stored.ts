import { useSyncExternalStore } from "react";

/** One value in the storage of the browser. A page whose storage is blocked keeps it until it is closed. */
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
  /** `tab`: other tabs do not see it, and it goes when the tab is closed. */
  where: "browser" | "tab" = "browser",
): Stored<Value> {
  const name = `spoor.${key}`;
  const area = () => (where === "tab" ? sessionStorage : localStorage);
  const listeners = new Set<() => void>();
  let isKept = true;
  let text = readItem(area, name) ?? null;
  let value = parse(text);
  const take = (next: string | null) => {
    if (next === text) return;
    text = next;
    value = parse(next);
    for (const listener of listeners) listener();
  };
  /** Another tab may have written. What the storage did not keep holds for this page only. */
  const look = () => {
    const kept = readItem(area, name);
    if (isKept && kept !== undefined) take(kept);
  };
  const onStorage = (event: StorageEvent) => {
    if (event.key === name || event.key === null) look();
  };
  return {
    read: () => value,
    write(next) {
      const printed = print(next);
      isKept = writeItem(area, name, printed);
      take(printed);
    },
    subscribe(listener) {
      if (listeners.size === 0) {
        addEventListener("storage", onStorage);
        // Nobody listened until now.
        look();
      }
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

/** Undefined if the storage cannot be read. */
function readItem(area: () => Storage, name: string): string | null | undefined {
  try {
    return area().getItem(name);
  } catch {
    return undefined;
  }
}

/** Returns whether the storage keeps it. If it does not, the value still holds for this page. */
function writeItem(area: () => Storage, name: string, text: string | null): boolean {
  try {
    if (text === null) area().removeItem(name);
    else area().setItem(name, text);
    return true;
  } catch {
    return false;
  }
}
