import { type PointerEvent, useMemo, useRef, useState } from "react";
import type { RunGroup } from "./groups.ts";
import { countNew, holdPlaces } from "./hold.ts";

/** Keeps rows in place while a mouse is over the list or a finger is on it. `list` is another text for another list. */
export function useHeldGroups(groups: readonly RunGroup[], list: string) {
  const [isHeld, setHeld] = useState(false);
  const last = useRef<{ list: string; groups: readonly RunGroup[] }>({ list, groups });
  const shown = useMemo(() => {
    const isHolding = isHeld && last.current.list === list;
    const next = isHolding ? holdPlaces(last.current.groups, groups) : groups;
    last.current = { list, groups: next };
    return next;
  }, [groups, isHeld, list]);

  return {
    groups: shown,
    /** Runs that wait to be shown. */
    held: isHeld ? countNew(shown, groups) : 0,
    release: () => setHeld(false),
    pointer: {
      onPointerEnter: () => setHeld(true),
      onPointerLeave: () => setHeld(false),
      onPointerUp: ({ pointerType }: PointerEvent) => pointerType !== "mouse" && setHeld(false),
      onPointerCancel: () => setHeld(false),
    },
  };
}
