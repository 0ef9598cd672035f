import { defaultRangeExtractor, useWindowVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { coveredAbove } from "../head/use-above.ts";
import type { Row, RowKind } from "./row-types.ts";

/** Within this distance from the end, the page follows what comes. */
const FOLLOW_PX = 40;

/** What is hidden by the head on top, at least, and by the dock at the bottom. On a phone the to do line belongs to the head. */
const HEAD_PX = 196;
const DOCK_PX = 120;

/** The list of rows in the scrolling page: where it is, whether it follows the end, and how to move. */
export function useTrail(rows: readonly Row[], current: string | undefined) {
  const list = useRef<HTMLOListElement>(null);
  const margin = useTop(list);
  const [isAtEnd, setAtEnd] = useState(true);
  // Opening a card lets go of the end until the reader scrolls.
  const [isHeld, setHeld] = useState(false);
  const focused = rows.findIndex(({ key }) => key === current);
  const virtualizer = useWindowVirtualizer<Element>({
    count: rows.length,
    estimateSize: (index) => heights[rows[index]?.kind ?? "text"],
    getItemKey: (index) => rows[index]?.key ?? index,
    scrollMargin: margin,
    paddingEnd: DOCK_PX,
    scrollPaddingStart: Math.max(HEAD_PX, coveredAbove() + 9),
    scrollPaddingEnd: DOCK_PX,
    overscan: 6,
    anchorTo: isHeld ? "start" : "end",
    followOnAppend: !isHeld,
    scrollEndThreshold: FOLLOW_PX,
    rangeExtractor: useCallback(
      (range: Parameters<typeof defaultRangeExtractor>[0]) => {
        const indexes = defaultRangeExtractor(range);
        // The row that has the focus is never unmounted.
        if (focused < 0 || indexes.includes(focused)) return indexes;
        return [...indexes, focused].sort((one, other) => one - other);
      },
      [focused],
    ),
  });
  const latest = useRef(virtualizer);
  latest.current = virtualizer;

  const total = virtualizer.getTotalSize();
  const pin = usePin(total);
  // The list follows what is appended, but loses the end when rows above it change their height at the same time.
  useLayoutEffect(() => {
    if (pin.current && !isHeld && total > 0) scrollTo(0, document.documentElement.scrollHeight);
  }, [total, isHeld, pin]);

  useEffect(() => {
    const look = () => setAtEnd(latest.current.isAtEnd(FOLLOW_PX));
    const letGo = () => setHeld(false);
    look();
    addEventListener("scroll", look, { passive: true });
    addEventListener("wheel", letGo, { passive: true });
    addEventListener("touchmove", letGo, { passive: true });
    return () => {
      removeEventListener("scroll", look);
      removeEventListener("wheel", letGo);
      removeEventListener("touchmove", letGo);
    };
  }, []);

  const follow = useCallback(() => {
    setHeld(false);
    pin.current = true;
    latest.current.scrollToEnd();
    setAtEnd(true);
  }, [pin]);
  const hold = useCallback(() => {
    setHeld(true);
    pin.current = false;
  }, [pin]);
  const show = useCallback(
    (index: number, align: "start" | "auto" | "center" = "auto") => {
      hold();
      latest.current.scrollToIndex(index, { align });
    },
    [hold],
  );
  // Rows above are measured on the way, so the browser alone would stop amid them.
  const toStart = useCallback(() => {
    show(0, "start");
    scrollTo(0, 0);
  }, [show]);
  return { list, virtualizer, isAtEnd, follow, show, hold, toStart };
}

/** Whether the reader is at the end: from the moment they came there until they scroll up. Rows that grow change nothing. */
function usePin(total: number): RefObject<boolean> {
  const pin = useRef(false);
  const height = useRef(total);
  height.current = total;
  useEffect(() => {
    let before = { top: scrollY, height: height.current };
    const look = () => {
      const now = { top: scrollY, height: height.current };
      const isUp = now.top < before.top && now.height === before.height;
      if (document.documentElement.scrollHeight - innerHeight - now.top <= FOLLOW_PX) pin.current = true;
      else if (isUp) pin.current = false;
      before = now;
    };
    const letGo = ({ deltaY }: WheelEvent) => {
      if (deltaY < 0) pin.current = false;
    };
    const touch = () => {
      pin.current = false;
    };
    // Rows that come into view are measured, so the height changes with the first step up.
    const keyed = ({ key }: KeyboardEvent) => {
      if (keysUp.has(key)) pin.current = false;
    };
    addEventListener("scroll", look, { passive: true });
    addEventListener("wheel", letGo, { passive: true });
    addEventListener("touchmove", touch, { passive: true });
    addEventListener("keydown", keyed);
    return () => {
      removeEventListener("scroll", look);
      removeEventListener("wheel", letGo);
      removeEventListener("touchmove", touch);
      removeEventListener("keydown", keyed);
    };
  }, []);
  return pin;
}

/** Keys by which browsers scroll up. */
const keysUp = new Set(["Home", "PageUp", "ArrowUp"]);

/** Heights before a row was measured. */
const heights: Readonly<Record<RowKind, number>> = {
  ...{ prompt: 92, turn: 36, text: 60, thought: 36, cards: 80, approval: 230, question: 160, image: 300 },
  ...{ error: 44, retry: 36, gap: 48, note: 32, opaque: 100, end: 60 },
};

/** Where the list begins in the page. It moves when the head above it grows. */
function useTop(list: RefObject<HTMLElement | null>): number {
  const [top, set] = useState(0);
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    const look = () => set(Math.round(element.getBoundingClientRect().top + scrollY));
    look();
    const observer = new ResizeObserver(look);
    for (const above of document.querySelectorAll("[data-above-trail]")) observer.observe(above);
    return () => observer.disconnect();
  }, [list]);
  return top;
}
