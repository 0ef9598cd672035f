import { type RefObject, useLayoutEffect } from "react";

/** Sets `--above` on the page: how much of the top of the screen the bar and the head of the run cover. */
export function useAbove(head: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = head.current;
    const page = document.documentElement;
    if (!element) return;
    const measure = () => {
      const top = Number.parseFloat(getComputedStyle(element).top) || 0;
      covered = Math.round(top + element.offsetHeight);
      page.style.setProperty("--above", `${covered}px`);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => {
      observer.disconnect();
      page.style.removeProperty("--above");
    };
  }, [head]);
}

let covered = 187;

/** How many pixels are covered, as they were measured last. */
export const coveredAbove = (): number => covered;
