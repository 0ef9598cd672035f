import type { Virtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useState } from "react";
import { plural } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { ConversationRow } from "./conversation-row.tsx";
import type { Row } from "./row-types.ts";
import styles from "./trail.module.css";

interface TrailProps {
  rows: readonly Row[];
  virtualizer: Virtualizer<Window, Element>;
  list: RefObject<HTMLOListElement | null>;
  /** The row that a link led to, or that the keys are at. */
  current: string | undefined;
  /** The row whose approval takes A and D. */
  keysFor: string | undefined;
}

/** The conversation as a list along the trail. Only rows near the view are mounted. */
export function Trail({ rows, virtualizer, list, current, keysFor }: TrailProps) {
  return (
    <ol ref={list} className={styles.trail} aria-label="Conversation" style={{ height: virtualizer.getTotalSize() }}>
      {virtualizer.getVirtualItems().map(({ index, key, start }) => {
        const row = rows[index];
        if (!row) return null;
        return (
          <li
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            data-row={row.key}
            data-kind={row.kind}
            data-sequence={row.sequence}
            tabIndex={-1}
            aria-posinset={index + 1}
            aria-setsize={rows.length}
            className={`${styles.row} ${row.kind === "turn" ? styles.turn : ""} ${row.key === current ? styles.current : ""}`}
            style={{ transform: `translateY(${start - virtualizer.options.scrollMargin}px)` }}
          >
            {row.mark !== "none" && <span className={`${styles.mark} ${styles[row.mark] ?? ""}`} aria-hidden="true" />}
            <ConversationRow row={row} takesKeys={row.key === keysFor} />
          </li>
        );
      })}
    </ol>
  );
}

/** "14 new below", while the reader is not at the end. */
export function NewBelow({ rows, isAtEnd, onClick }: { rows: number; isAtEnd: boolean; onClick: () => void }) {
  const [seen, setSeen] = useState(rows);
  useEffect(() => {
    if (isAtEnd) setSeen(rows);
  }, [isAtEnd, rows]);
  const fresh = rows - seen;
  if (isAtEnd || fresh <= 0) return null;
  return (
    <button type="button" className={styles.pill} onClick={onClick} aria-label={`${plural(fresh, "new item")} below`}>
      <Icon name="down" small />
      {fresh} new below
    </button>
  );
}
