import { useEffect, useRef } from "react";
import { count } from "../../../ui/format.ts";
import { Icon } from "../../../ui/icon.tsx";
import styles from "./find-bar.module.css";

interface FindBarProps {
  words: string;
  onWords: (words: string) => void;
  /** Which match is shown, from 0; -1 if none is. */
  at: number;
  matches: number;
  onStep: (step: 1 | -1) => void;
  onClose: () => void;
}

/** Finds text in the whole conversation. The browser's own search sees only the rows that are mounted. */
export function FindBar({ words, onWords, at, matches, onStep, onClose }: FindBarProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  return (
    <search className={styles.bar}>
      <Icon name="search" small />
      <input
        ref={field}
        type="text"
        aria-label="Find in the conversation"
        placeholder="Find in the conversation"
        value={words}
        onChange={(event) => onWords(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") onStep(event.shiftKey ? -1 : 1);
          if (event.key === "Escape") onClose();
          if (event.key === "Enter" || event.key === "Escape") event.preventDefault();
        }}
      />
      <span className="dim num" role="status">
        {words.trim() === "" ? "" : matches === 0 ? "not found" : `${count(at + 1)} of ${count(matches)}`}
      </span>
      <button
        type="button"
        className="btn quiet small icon"
        aria-label="Previous"
        disabled={matches === 0}
        onClick={() => onStep(-1)}
      >
        <Icon name="up" small />
      </button>
      <button
        type="button"
        className="btn quiet small icon"
        aria-label="Next"
        disabled={matches === 0}
        onClick={() => onStep(1)}
      >
        <Icon name="down" small />
      </button>
      <button type="button" className="btn quiet small icon" aria-label="Close" onClick={onClose}>
        <Icon name="cross" small />
      </button>
    </search>
  );
}
