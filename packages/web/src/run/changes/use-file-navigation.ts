import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { fragmentOf } from "../../routes.ts";
import type { ChangedFile } from "./changed-files.ts";

interface FileNavigation {
  /** The path of the file that the reader looks at. */
  readonly current: string | undefined;
  readonly file: () => ChangedFile | undefined;
  /** Shows a file and names it in the address. */
  readonly open: (path: string) => void;
  readonly moveFile: (by: 1 | -1) => void;
  readonly moveHunk: (by: 1 | -1) => void;
}

/** Moves between files and hunks, follows the fragment of the address, and knows which file is on top. */
export function useFileNavigation(
  list: RefObject<HTMLElement | null>,
  files: readonly ChangedFile[],
  isThere: boolean,
  /** Draws a file that is not drawn yet. */
  draw: (path: string) => void,
): FileNavigation {
  const [current, setCurrent] = useState<string>();
  const latest = useRef({ files, current });
  latest.current = { files, current: current ?? files[0]?.path };

  const show = useCallback(
    (path: string, isDrawn = false): void => {
      const card = cardOf(list.current, path);
      if (!card) {
        if (isDrawn) return;
        draw(path);
        requestAnimationFrame(() => show(path, true));
        return;
      }
      setCurrent(path);
      card.focus({ preventScroll: true });
      keepInView(card);
    },
    [list, draw],
  );
  const open = useCallback(
    (path: string) => {
      history.replaceState(history.state, "", `#${fragmentOf(path)}`);
      show(path);
    },
    [show],
  );

  useEffect(() => {
    if (!isThere) return;
    const follow = () => {
      const path = pathOfFragment(location.hash);
      if (path) show(path);
    };
    follow();
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, [isThere, show]);

  useEffect(() => {
    if (!isThere) return;
    let frame = 0;
    const look = () => {
      frame = 0;
      const path = topCard(list.current);
      if (path !== undefined) setCurrent(path);
    };
    const onScroll = () => {
      frame ||= requestAnimationFrame(look);
    };
    addEventListener("scroll", onScroll, { passive: true });
    return () => {
      removeEventListener("scroll", onScroll);
      cancelAnimationFrame(frame);
    };
  }, [isThere, list]);

  const file = () => latest.current.files.find(({ path }) => path === latest.current.current);
  return {
    current: latest.current.current,
    file,
    open,
    moveFile(by) {
      const { files: all, current: path } = latest.current;
      const next = all[all.findIndex((one) => one.path === path) + by];
      if (next) open(next.path);
    },
    moveHunk(by) {
      const hunks = [...(list.current?.querySelectorAll<HTMLElement>("[data-hunk]") ?? [])];
      const next = by === 1 ? hunks.find(isBelow) : hunks.findLast(isAbove);
      next?.focus({ preventScroll: true });
      next?.scrollIntoView({ block: "start" });
      const path = next?.closest<HTMLElement>("[data-path]")?.dataset.path;
      if (path !== undefined) setCurrent(path);
    },
  };
}

const cardOf = (list: HTMLElement | null, path: string): HTMLElement | undefined =>
  [...(list?.querySelectorAll<HTMLElement>("[data-path]") ?? [])].find(
    (card) => card.dataset.path?.toWellFormed() === path.toWellFormed(),
  );

/** The lowest edge of what covers the top of the page. */
const topEdge = (): number => document.querySelector("header[data-above-trail]")?.getBoundingClientRect().bottom ?? 180;

/** The first file whose end is below the head of the page. At the end of the page, the last one on the screen. */
function topCard(list: HTMLElement | null): string | undefined {
  const cards = [...(list?.querySelectorAll<HTMLElement>("[data-path]") ?? [])];
  const focused = document.activeElement?.closest<HTMLElement>("[data-path]");
  if (focused && isOnScreen(focused)) return focused.dataset.path;
  return cards.find((card) => card.getBoundingClientRect().bottom > topEdge() + 24)?.dataset.path;
}

function isOnScreen(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > topEdge() && top < innerHeight;
}

const isFocused = (element: Element) => element === document.activeElement;
const middleOf = (): number => topEdge() + 40;
/** From the focused hunk on, or else from what is on top of the screen. */
function isBelow(element: Element): boolean {
  const from = document.activeElement?.closest("[data-hunk]");
  if (from)
    return !isFocused(element) && (from.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) > 0;
  return element.getBoundingClientRect().top > topEdge() - 4;
}
function isAbove(element: Element): boolean {
  const from = document.activeElement?.closest("[data-hunk]");
  if (from)
    return !isFocused(element) && (from.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING) > 0;
  return element.getBoundingClientRect().top < middleOf() - 44;
}

/** Diffs above the file may still be loading. Until the reader scrolls, the file stays where it was shown. */
function keepInView(card: HTMLElement): void {
  card.scrollIntoView({ block: "start" });
  const end = new AbortController();
  const observer = new ResizeObserver(() => card.scrollIntoView({ block: "start" }));
  const stop = () => end.abort();
  if (card.parentElement) observer.observe(card.parentElement);
  for (const name of ["wheel", "touchmove", "keydown", "pointerdown"] as const)
    addEventListener(name, stop, { signal: end.signal, passive: true });
  end.signal.addEventListener("abort", () => observer.disconnect());
  setTimeout(stop, 2_000);
}

function pathOfFragment(hash: string): string | undefined {
  if (hash.length < 2) return undefined;
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return hash.slice(1);
  }
}
