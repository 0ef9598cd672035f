import { useCallback, useEffect, useRef, useState } from "react";
import { putTimesInUrl, timeInUrl } from "../replay/time-in-url.ts";
import { type Range, within } from "./scale.ts";

/** A picture narrower than this shows only a part of the run at first, so that bars can be read. */
const FULL_WIDTH_PX = 700;
const DRAWN_FOR_PX = 1192;

/** The range in view. It lives in the address as `?from=&to=`; without them, the whole run is shown and grows. */
export function useRange(whole: number, width: number) {
  const [chosen, setChosen] = useState<Range | undefined>(() => {
    const [from, to] = [timeInUrl("from"), timeInUrl("to")];
    return from !== undefined && to !== undefined && to > from ? { from, to } : undefined;
  });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => putTimesInUrl({ from: chosen?.from, to: chosen?.to }), 150);
    return () => clearTimeout(timer.current);
  }, [chosen]);

  const isNarrow = width > 0 && width < FULL_WIDTH_PX;
  const first = { from: 0, to: isNarrow ? (whole * width) / DRAWN_FOR_PX : whole };
  const setRange = useCallback(
    (range: Range | undefined) => {
      const isWhole = range && range.from <= 0 && range.to >= whole && !isNarrow;
      setChosen(isWhole ? undefined : range);
    },
    [whole, isNarrow],
  );
  return { range: within(chosen ?? first, whole), setRange };
}
