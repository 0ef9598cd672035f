import { useEffect, useRef, useSyncExternalStore } from "react";
import type { IconName } from "./icon.tsx";
import { createCell } from "./store.ts";

/** Something that ⌘K offers. */
export interface Command {
  readonly name: string;
  readonly run: () => void;
  readonly icon?: IconName | undefined;
  /** Other words by which it is found. */
  readonly words?: string | undefined;
  /** The key that does the same, as `useKeys` names it. */
  readonly shortcut?: string | undefined;
}

/** Offers commands in ⌘K while the component is mounted, such as the actions of the run that is shown. */
export function useCommands(commands: readonly Command[]): void {
  const entry = useRef<readonly Command[]>(commands);
  useEffect(() => {
    entry.current = commands;
  });
  useEffect(() => {
    registered.set([...registered.read(), entry]);
    return () => registered.set(registered.read().filter((each) => each !== entry));
  }, []);
}

/** For ⌘K: the commands of what is on the screen now. */
export const useOfferedCommands = (): readonly Command[] =>
  useSyncExternalStore(registered.subscribe, registered.read).flatMap(({ current }) => current);

const registered = createCell<readonly { readonly current: readonly Command[] }[]>([]);
