import { type RefObject, useEffect, useState } from "react";

/** Rows above and below the screen that are mounted as well, so that the next row can always take the focus. */
const SPARE = 12;

interface Range {
  readonly first: number;
  readonly last: number;
  readonly rowHeight: number;
  /** The row that has the focus. It stays mounted. */
  readonly kept: number | undefined;
}

/** Which rows of a list of equal rows are near the screen. */
export function useVisibleRange(list: RefObject<HTMLElement | null>, count: number, isOn: boolean): Range {
  const [range, set] = useState<Range>({ first: 0, last: 2 * SPARE, rowHeight: heightOf(), kept: undefined });
  // biome-ignore lint/correctness/useExhaustiveDependencies: A list that grew is measured again
  useEffect(() => {
    if (!isOn) return;
    let frame = 0;
    const measure = () => {
      frame = 0;
      const box = list.current?.getBoundingClientRect();
      if (!box) return;
      const rowHeight = heightOf();
      // Steps of whole spares: scrolling by a few rows mounts nothing.
      const step = (row: number) => Math.floor(row / SPARE) * SPARE;
      const first = Math.max(0, step(-box.top / rowHeight - SPARE));
      const last = Math.max(0, step((innerHeight - box.top) / rowHeight + 2 * SPARE));
      const focused = document.activeElement?.closest("[aria-posinset]");
      const kept =
        focused && list.current?.contains(focused) ? Number(focused.getAttribute("aria-posinset")) - 1 : undefined;
      set((before) =>
        before.first === first && before.last === last && before.rowHeight === rowHeight && before.kept === kept
          ? before
          : { first, last, rowHeight, kept },
      );
    };
    const later = () => {
      frame ||= requestAnimationFrame(measure);
    };
    measure();
    addEventListener("scroll", later, { passive: true });
    addEventListener("resize", later);
    addEventListener("focusin", later);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("scroll", later);
      removeEventListener("resize", later);
      removeEventListener("focusin", later);
    };
  }, [list, count, isOn]);
  return range;
}

/** The height of a row with its border. On a phone it has three lines. */
const heightOf = (): number => (innerWidth <= 720 ? 94 : 61);
