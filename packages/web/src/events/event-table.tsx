import type { Envelope } from "@spoor/protocol";
import { type RefObject, useCallback, useLayoutEffect, useMemo, useRef, useState } from "react";
import { visibleLine } from "../text/visible.ts";
import { shortId, UNKNOWN } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import type { EventRow } from "./event-source.ts";
import type { EventWindow, WindowState } from "./event-window.ts";
import styles from "./events.module.css";
import { familyOf, gistOf } from "./gist.ts";
import { useRowHeight } from "./use-row-height.ts";

interface Props {
  scroller: RefObject<HTMLDivElement | null>;
  window: EventWindow;
  state: WindowState;
  selected: number | undefined;
  /** Rows name their run. */
  ofAllRuns: boolean;
  onSelect: (cursor: number) => void;
}

/** Rows outside of the view that are drawn, so that scrolling shows no holes. */
const SPARE = 12;
/** Rows from an end at which more are read. */
const NEAR = 40;

/** A table of which only the rows in view exist. */
export function EventTable({ scroller, window, state, selected, ofAllRuns, onSelect }: Props) {
  const { rows, hasOlder, hasNewer, fresh, shifted } = state;
  const height = useRowHeight();
  const [view, setView] = useState({ top: 0, size: 900 });
  const wasAtEnd = useRef(true);
  // An address that names an event opens with it in view.
  const toReveal = useRef(selected);

  const look = useCallback(() => {
    const box = scroller.current;
    if (!box) return;
    wasAtEnd.current = box.scrollTop + box.clientHeight >= box.scrollHeight - height * 1.5;
    setView({ top: box.scrollTop, size: box.clientHeight });
  }, [scroller, height]);

  // Rows that came before the others must not move what is read; rows at the end are followed only from the end.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it belongs to a change of the rows
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box || rows.length === 0) return;
    const revealed = rows.findIndex(({ cursor }) => cursor === toReveal.current);
    if (revealed !== -1) {
      // The rows after it are read next; then it can stand in the middle.
      if (!hasNewer || rows.length - revealed > 50) toReveal.current = undefined;
      box.scrollTop = revealed * height - box.clientHeight / 2;
    } else if (shifted !== 0 && !(wasAtEnd.current && shifted < 0)) box.scrollTop += shifted * height;
    else if (wasAtEnd.current && !hasNewer) box.scrollTop = box.scrollHeight;
    look();
  }, [rows]);

  const first = Math.max(0, Math.floor(view.top / height) - SPARE);
  const last = Math.min(rows.length, Math.ceil((view.top + view.size) / height) + SPARE);
  useLayoutEffect(() => {
    if (first < NEAR && hasOlder) void window.older();
    if (last > rows.length - NEAR && hasNewer && fresh === 0) void window.newer();
  }, [window, first, last, rows, hasOlder, hasNewer, fresh]);

  // The selected row may have the focus, so it stays while it is out of view.
  const chosen = rows.findIndex(({ cursor }) => cursor === selected);
  const isApart = chosen !== -1 && (chosen < first || chosen >= last);
  const shown = [
    ...(isApart ? [chosen] : []),
    ...Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at),
  ];
  return (
    <div className={styles.frame}>
      <div ref={scroller} className={`card num ${styles.table} ${ofAllRuns ? styles.all : ""}`} onScroll={look}>
        <ol aria-label="Events" style={{ height: rows.length * height }}>
          {shown.map((index) => {
            const row = rows[index];
            return (
              row && (
                <li
                  key={row.cursor}
                  style={{ top: index * height }}
                  aria-posinset={index + 1}
                  aria-setsize={hasOlder || hasNewer ? -1 : rows.length}
                >
                  <Row row={row} ofAllRuns={ofAllRuns} isSelected={index === chosen} onSelect={onSelect} />
                </li>
              )
            );
          })}
        </ol>
      </div>
      {(fresh > 0 || (hasNewer && view.top > 0)) && (
        <button type="button" className={`btn small ${styles.pill}`} onClick={() => void jumpToEnd()}>
          <Icon name="down" small />
          {fresh > 0 ? `${fresh} new` : "To the end"}
        </button>
      )}
    </div>
  );

  async function jumpToEnd() {
    wasAtEnd.current = true;
    await window.toEnd();
  }
}

interface RowProps {
  row: EventRow;
  ofAllRuns: boolean;
  isSelected: boolean;
  onSelect: (cursor: number) => void;
}

function Row({ row, ofAllRuns, isSelected, onSelect }: RowProps) {
  const { envelope, gist } = useMemo(() => {
    const parsed: Envelope = JSON.parse(row.line);
    return { envelope: parsed, gist: gistOf(parsed) };
  }, [row]);
  return (
    <button
      type="button"
      data-event={row.cursor}
      className={`${styles.row} ${isSelected ? styles.on : ""}`}
      aria-current={isSelected ? "true" : undefined}
      onClick={() => onSelect(row.cursor)}
    >
      <span className={styles.cursor}>{row.cursor}</span>
      <span className={styles.time}>{timeOf(envelope.occurred_at)}</span>
      {ofAllRuns && <span className={styles.run}>{shortId(envelope.run_id)}</span>}
      <bdi className={`cut ${styles.type} ${styles[familyOf(envelope.type)]}`}>{visibleLine(envelope.type)}</bdi>
      <bdi className={`cut ${styles.gist}`}>{gist}</bdi>
    </button>
  );
}

const clock = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
});

function timeOf(when: string): string {
  const ms = Date.parse(when);
  return Number.isFinite(ms) ? clock.format(ms) : UNKNOWN;
}
