import { useEffect, useRef } from "react";

/**
 * Side by side, both texts move together under one scroll bar, so that they never cover each other. The bar sets `--x` on
 * the table; wheels and touch pads over the table move the bar.
 */
export function useSideScroll() {
  const box = useRef<HTMLElement>(null);
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    const [table, scroller] = [box.current, bar.current];
    if (!table || !scroller) return;
    const follow = () => table.style.setProperty("--x", `${-scroller.scrollLeft}px`);
    const push = (event: WheelEvent) => {
      const by = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
      if (by === 0 || (Math.abs(event.deltaY) > Math.abs(by) && !event.shiftKey)) return;
      scroller.scrollLeft += by;
      event.preventDefault();
    };
    scroller.addEventListener("scroll", follow, { passive: true });
    table.addEventListener("wheel", push, { passive: false });
    return () => {
      scroller.removeEventListener("scroll", follow);
      table.removeEventListener("wheel", push);
    };
  });
  return { box, bar };
}
