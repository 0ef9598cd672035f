import { useEffect, useState } from "react";
import type { WaitingRow } from "../dock/waiting-row.ts";
import type { Row } from "./row-types.ts";

/** What waits for an answer, and whether its card is in view. */
export interface Waiting {
  /** The row of the first card that waits and is in view. Its card takes the keys. */
  readonly inView: string | undefined;
  /** What waits out of view. The dock shows it, if no card in view can be answered. */
  readonly outOfView: readonly WaitingRow[];
}

export function useWaiting(rows: readonly Row[], list: React.RefObject<HTMLElement | null>, isPast: boolean): Waiting {
  const waiting = isPast ? [] : rows.filter(isWaiting);
  const keys = waiting.map(({ key }) => key).join("\n");
  // Absent until somebody has looked, so that the dock does not flicker.
  const [seen, setSeen] = useState<ReadonlySet<string>>();

  useEffect(() => {
    if (keys === "") return setSeen(undefined);
    const look = () => {
      const found = keys.split("\n").filter((key) => isInView(list.current, key));
      setSeen((before) =>
        before?.size === found.length && found.every((key) => before.has(key)) ? before : new Set(found),
      );
    };
    // A row is mounted and measured in the frames after it came.
    const first = setTimeout(look, 120);
    const timer = setInterval(look, 500);
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      clearTimeout(first);
      clearInterval(timer);
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, [keys, list]);

  const inView = waiting.find(({ key }) => seen?.has(key))?.key;
  return { inView, outOfView: inView === undefined && seen ? waiting : [] };
}

const isWaiting = (row: Row): row is Row & WaitingRow =>
  (row.kind === "approval" && row.approval.status === "pending") ||
  (row.kind === "question" && row.question.status === "pending");

/** A card is in view when its lower edge, with its buttons, is above the dock, or its middle is on screen. */
function isInView(list: Element | null, key: string): boolean {
  const box = list?.querySelector(`[data-row="${CSS.escape(key)}"]`)?.getBoundingClientRect();
  if (!box) return false;
  const middle = (box.top + box.bottom) / 2;
  return middle > HEAD_PX && box.bottom < innerHeight - 60;
}

const HEAD_PX = 190;
