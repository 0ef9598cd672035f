import { type RefObject, useEffect, useState } from "react";

/** Whether an element is on the screen or near it. Always true if `isWatched` is false. */
export function useIsNear(element: RefObject<Element | null>, isWatched: boolean): boolean {
  const [isNear, set] = useState(false);
  useEffect(() => {
    const target = element.current;
    if (!isWatched || !target) return;
    observer ??= new IntersectionObserver(report, { rootMargin: "1500px 0px" });
    listeners.set(target, set);
    observer.observe(target);
    return () => {
      listeners.delete(target);
      observer?.unobserve(target);
    };
  }, [element, isWatched]);
  return !isWatched || isNear;
}

/** One observer for all elements: thousands of chunks are watched at once. */
let observer: IntersectionObserver | undefined;
const listeners = new WeakMap<Element, (isNear: boolean) => void>();

function report(entries: readonly IntersectionObserverEntry[]): void {
  for (const { target, isIntersecting } of entries) listeners.get(target)?.(isIntersecting);
}
