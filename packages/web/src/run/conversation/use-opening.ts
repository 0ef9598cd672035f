import { useEffect, useLayoutEffect, useRef } from "react";
import { rowOfEvent } from "./build-rows.ts";
import type { Row } from "./row-types.ts";

interface Opening {
  state: "loading" | "ready" | "missing";
  isOver: boolean;
  rows: readonly Row[];
  follow: () => void;
  hold: () => void;
  show: (index: number, align: "start") => void;
  onRow: (index: number) => void;
}

/** Opens a conversation at its end if the run goes on, at its beginning if it is over, and at the event of a link. */
export function useOpening({ state, isOver, rows, follow, hold, show, onRow }: Opening): void {
  const isOpened = useRef(false);
  const linked = useRef<string | undefined>(undefined);
  const latest = useRef({ rows, onRow });
  latest.current = { rows, onRow };

  const goToLink = () => {
    const sequence = sequenceOf(location.hash);
    if (sequence === undefined || linked.current === location.hash) return false;
    const index = rowOfEvent(latest.current.rows, sequence);
    // The event may still be on its way.
    if (index === -1) return false;
    linked.current = location.hash;
    latest.current.onRow(index);
    show(index, "start");
    return true;
  };

  useLayoutEffect(() => {
    if (isOpened.current || state !== "ready" || rows.length === 0) return;
    isOpened.current = true;
    if (goToLink()) return;
    if (!isOver) return follow();
    hold();
    scrollTo(0, 0);
  });
  useEffect(() => {
    const onHash = () => {
      linked.current = undefined;
      goToLink();
    };
    addEventListener("hashchange", onHash);
    return () => removeEventListener("hashchange", onHash);
  });
}

/** The event that an address names: `#e49`. */
function sequenceOf(hash: string): number | undefined {
  const digits = /^#e(\d{1,15})$/.exec(hash)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
