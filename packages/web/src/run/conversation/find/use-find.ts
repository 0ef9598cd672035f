import { useEffect, useMemo, useRef, useState } from "react";
import type { Row } from "../row-types.ts";
import { highlightWords } from "./highlight-words.ts";
import { type Match, searchRows } from "./search-rows.ts";

/** The search in a conversation: whether it is open, what it found, and which match is shown. */
export function useFind(rows: readonly Row[], list: React.RefObject<Element | null>, goTo: (match: Match) => void) {
  const [isOpen, setOpen] = useState(false);
  const [words, setWords] = useState("");
  const [at, setAt] = useState(-1);
  const matches = useMemo(() => (isOpen ? searchRows(rows, words) : []), [rows, words, isOpen]);
  const latest = useRef(goTo);
  latest.current = goTo;

  // Rows are mounted and unmounted while the page scrolls, so the marks are renewed with the rows.
  useEffect(() => {
    if (!isOpen || !list.current) return;
    const mark = () => highlightWords(list.current, words);
    mark();
    const observer = new MutationObserver(mark);
    observer.observe(list.current, { childList: true, subtree: true });
    return () => {
      observer.disconnect();
      highlightWords(null, "");
    };
  }, [isOpen, words, list]);

  const step = (by: 1 | -1) => {
    if (matches.length === 0) return;
    const next = at === -1 ? (by === 1 ? 0 : matches.length - 1) : (at + by + matches.length) % matches.length;
    setAt(next);
    const match = matches[next];
    if (match) latest.current(match);
  };
  return {
    isOpen,
    open: () => setOpen(true),
    close: () => setOpen(false),
    words,
    setWords: (next: string) => {
      setWords(next);
      const found = searchRows(rows, next);
      setAt(found.length > 0 ? 0 : -1);
      if (found[0]) latest.current(found[0]);
    },
    at: Math.min(at, matches.length - 1),
    matches: matches.length,
    step,
  };
}
