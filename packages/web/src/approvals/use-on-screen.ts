import { type RefObject, useEffect, useRef } from "react";

/** An item must have been on screen for this long before a key or a press counts for it. */
const LOOKED_AT_MS = 500;

/**
 * Tells whether the element has been on screen long enough to be answered. What `item` names is new when it changes, so the
 * time begins anew: a second press that was meant for the item before does nothing.
 */
export function useOnScreen(element: RefObject<Element | null>, item: string): () => boolean {
  const since = useRef<number | undefined>(undefined);
  useEffect(() => {
    const target = element.current;
    if (!target || item === "") return;
    let isInView = false;
    const update = () => {
      const isSeen = isInView && document.visibilityState === "visible";
      since.current = isSeen ? (since.current ?? performance.now()) : undefined;
    };
    const observer = new IntersectionObserver((entries) => {
      isInView = entries.at(-1)?.isIntersecting === true;
      update();
    });
    observer.observe(target);
    document.addEventListener("visibilitychange", update);
    return () => {
      since.current = undefined;
      observer.disconnect();
      document.removeEventListener("visibilitychange", update);
    };
  }, [element, item]);
  return () => since.current !== undefined && performance.now() - since.current >= LOOKED_AT_MS;
}
