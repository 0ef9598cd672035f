import { useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { type EventSelection, pagesOf } from "./event-source.ts";
import { EventWindow, type Growth, type WindowState } from "./event-window.ts";

interface Options {
  selection: EventSelection;
  /** The last cursor of the list now. */
  last: () => Promise<number>;
  /** Calls back when something new may be in the list. */
  watch: (grown: (by: Growth) => void) => () => void;
  /** Whether the end of the list is in view. */
  isAtEnd: () => boolean;
  /** The event to begin at; absent for the end. */
  start?: number | undefined;
}

/** New events are asked for at most this often. */
const GROW_EVERY_MS = 250;

/** The window of a list of events, kept up to date. Another selection begins anew. */
export function useEventWindow({ selection, last, watch, isAtEnd, start }: Options): {
  window: EventWindow;
  state: WindowState;
} {
  const { runId, granularity } = selection;
  const types = selection.types.join();
  const beginAt = useRef(start);
  const window = useMemo(
    () =>
      new EventWindow({
        read: pagesOf({ runId, granularity, types: types === "" ? [] : types.split(",") }),
        last,
      }),
    [runId, granularity, types, last],
  );
  useEffect(() => {
    const at = beginAt.current;
    beginAt.current = undefined;
    window.open();
    void (at === undefined ? window.toEnd() : window.around(at));
    return () => window.close();
  }, [window]);

  const latest = useRef(isAtEnd);
  useEffect(() => {
    latest.current = isAtEnd;
  });
  useEffect(() => {
    let [count, timer] = [0, undefined as ReturnType<typeof setTimeout> | undefined];
    let last = -1;
    const stop = watch((by) => {
      count += by.count;
      last = Math.max(last, by.upTo);
      timer ??= setTimeout(() => {
        void window.grow({ count, upTo: last }, latest.current() && !window.read().hasNewer);
        [count, timer] = [0, undefined];
      }, GROW_EVERY_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [watch, window]);
  return { window, state: useSyncExternalStore(window.subscribe, window.read) };
}
