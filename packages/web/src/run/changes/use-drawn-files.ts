import { useCallback, useMemo, useRef, useState } from "react";
import type { ChangedFile } from "./changed-files.ts";

/** So many files are drawn at once. A browser takes half a minute to draw ten thousand. */
const STEP = 100;

/** The files that are drawn: the first ones, and those up to one that somebody wants to see. */
export function useDrawnFiles(files: readonly ChangedFile[]) {
  const [most, setMost] = useState(STEP);
  const latest = useRef(files);
  latest.current = files;
  const drawn = useMemo(() => (files.length > most ? files.slice(0, most) : files), [files, most]);
  const draw = useCallback((path: string) => {
    const at = latest.current.findIndex((file) => file.path.toWellFormed() === path.toWellFormed());
    setMost((before) => Math.max(before, at + 1 + STEP / 2));
  }, []);
  return { drawn, draw, drawMore: () => setMost(most + STEP) };
}
