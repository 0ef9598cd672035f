import { type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { routes } from "../routes.ts";
import { CopyButton } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { useKeys } from "../ui/keys.ts";
import { Segments } from "../ui/segments.tsx";
import { curlOfList } from "./curl.ts";
import { EventDetail } from "./event-detail.tsx";
import { EventTable } from "./event-table.tsx";
import type { Growth } from "./event-window.ts";
import styles from "./events.module.css";
import { readTypeFilter } from "./type-filter.ts";
import { useEventWindow } from "./use-event-window.ts";
import { useIsWide, useRowHeight } from "./use-row-height.ts";

interface Props {
  /** Absent for all runs. */
  runId?: string;
  last: () => Promise<number>;
  watch: (options: Finer, grown: (by: Growth) => void) => () => void;
  title?: ReactNode;
}

interface Finer {
  readonly granularity: "delta" | "block" | "turn";
  readonly types: readonly string[];
}

const finenesses = [
  { value: "delta", name: "All" },
  { value: "block", name: "Blocks" },
  { value: "turn", name: "Turns" },
] as const;

/** The raw stream: a table of events, and the selected one as it is stored. */
export function EventsView({ runId, last, watch, title }: Props) {
  const [query, setQuery] = useSearchParams();
  const [, navigate] = useLocation();
  const scroller = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const isWide = useIsWide();
  const rowHeight = useRowHeight();
  const [isOpen, setOpen] = useState(false);

  const set = (name: string, value: string | undefined) =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before);
        if (value) next.set(name, value);
        else next.delete(name);
        return next;
      },
      { replace: true },
    );
  const granularity = finenesses.find(({ value }) => value === query.get("granularity"))?.value ?? "delta";
  const typed = query.get("type") ?? "";
  // While a name is typed, half of it is not asked for.
  const filter = useMemo(() => readTypeFilter(typed), [typed]);
  const types = useSettled(filter.types.join());
  const finer = useMemo<Finer>(
    () => ({ granularity, types: types === "" ? [] : types.split(",") }),
    [granularity, types],
  );
  const selection = { runId, ...finer };
  const selected = numberOf(query.get("event"));

  const { window, state } = useEventWindow({
    selection,
    last,
    watch: useMemo(() => (grown: (by: Growth) => void) => watch(finer, grown), [watch, finer]),
    isAtEnd: () => {
      const box = scroller.current;
      return !box || box.scrollTop + box.clientHeight >= box.scrollHeight - rowHeight * 1.5;
    },
    start: selected,
  });
  const { rows } = state;
  const index = rows.findIndex(({ cursor }) => cursor === selected);
  const row = rows[index];

  const select = (cursor: number) => set("event", String(cursor));
  const open = (cursor: number | undefined) => {
    if (cursor === undefined) return false;
    select(cursor);
    if (isWide) document.querySelector<HTMLElement>("[data-event-json] pre")?.focus();
    else setOpen(true);
    return true;
  };
  const step = (by: 1 | -1) => {
    const box = scroller.current;
    const inView = box ? Math.round(box.scrollTop / rowHeight) : 0;
    const next = index === -1 ? inView : index + by;
    const target = rows[Math.max(0, Math.min(next, rows.length - 1))];
    if (!target || !box) return;
    select(target.cursor);
    focusRow(box, target.cursor);
    const top = rows.indexOf(target) * rowHeight;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + rowHeight > box.scrollTop + box.clientHeight) box.scrollTop = top + rowHeight - box.clientHeight;
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    arrowdown: () => step(1),
    arrowup: () => step(-1),
    enter: () => open(row?.cursor),
    o: () => (row ? navigate(routes.run((JSON.parse(row.line) as { run_id: string }).run_id)) : false),
    end: () => window.toEnd(),
    "/": () => field.current?.focus(),
  });
  useFillHeight(scroller);

  return (
    <div className={styles.events}>
      <main id="main" className={styles.list}>
        {title}
        <div className={styles.tools}>
          <Segments
            label="How fine"
            value={granularity}
            options={finenesses}
            onChange={(value) => set("granularity", value === "delta" ? undefined : value)}
          />
          <label className={styles.field}>
            <Icon name="search" small />
            <input
              ref={field}
              data-filter
              className="mono"
              value={typed}
              placeholder="tool.*, turn.*"
              aria-label="Only these types"
              aria-describedby={filter.notes.length > 0 ? "type-notes" : undefined}
              spellCheck={false}
              autoCapitalize="off"
              onChange={({ target }) => set("type", target.value)}
            />
          </label>
          <span className="push" />
          <CopyButton text={curlOfList(location.origin, selection)} label="Copy the command that reads this list">
            Copy as curl
          </CopyButton>
        </div>
        {filter.notes.length > 0 && (
          <ul id="type-notes" className={styles.notes} role="status">
            {filter.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        )}
        {state.state === "failed" ? (
          <p className={styles.nothing}>
            The events could not be read. {state.problem}{" "}
            <button type="button" className="btn small" onClick={() => void window.toEnd()}>
              Try again
            </button>
          </p>
        ) : state.state === "ready" && rows.length === 0 && !state.hasOlder ? (
          <p className={styles.nothing}>
            {types === "" ? "There are no events yet." : "No event has one of these types."}
          </p>
        ) : (
          <EventTable
            scroller={scroller}
            window={window}
            state={state}
            selected={selected}
            ofAllRuns={runId === undefined}
            onSelect={(cursor) => (isWide ? select(cursor) : open(cursor))}
          />
        )}
      </main>
      {isWide && (
        <aside className={`card ${styles.detail}`} aria-label="Selected event" data-event-json>
          {row ? (
            <EventDetail row={row} onStep={step} />
          ) : (
            <p className={styles.hint}>Select an event to see it as it is stored.</p>
          )}
        </aside>
      )}
      {!isWide && isOpen && row && (
        <Dialog title="Event" form="bare" onClose={() => setOpen(false)}>
          <div className={styles.sheet} data-event-json>
            <EventDetail row={row} onStep={step} />
            <button type="button" className={`btn ${styles.close}`} onClick={() => setOpen(false)}>
              Close
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

/** The row may be drawn only after the table was scrolled to it. */
function focusRow(box: HTMLElement, cursor: number): void {
  requestAnimationFrame(() =>
    requestAnimationFrame(() =>
      box.querySelector<HTMLElement>(`[data-event="${cursor}"]`)?.focus({ preventScroll: true }),
    ),
  );
}

const numberOf = (text: string | null): number | undefined =>
  text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;

/** A value that has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), 250);
    return () => clearTimeout(timer);
  }, [value]);
  return useDeferredValue(settled);
}

/** The table reaches to the bottom of the window, or to the tab bar of a phone. What is above it may change its height. */
function useFillHeight(box: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    const fit = () => {
      const element = box.current;
      if (!element) return;
      const top = element.getBoundingClientRect().top + scrollY;
      const below = document.querySelector<HTMLElement>(".tabbar")?.offsetHeight || 24;
      element.style.height = `${Math.max(240, innerHeight - top - below)}px`;
    };
    fit();
    const observer = new ResizeObserver(fit);
    observer.observe(document.body);
    addEventListener("resize", fit);
    return () => {
      observer.disconnect();
      removeEventListener("resize", fit);
    };
  });
}
