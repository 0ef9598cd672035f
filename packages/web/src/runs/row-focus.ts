import { type RefObject, useLayoutEffect, useRef } from "react";

/** Moves the focus to the next or previous row. Without a focused row: to the first. Returns whether there is one. */
export function moveFocus(list: HTMLElement | null, by: 1 | -1): boolean {
  const rows = [...(list?.querySelectorAll<HTMLElement>("a[data-row]") ?? [])];
  const current = document.activeElement?.closest("[data-run]")?.querySelector<HTMLElement>("a[data-row]");
  const at = current ? rows.indexOf(current) : -1;
  const next = at === -1 ? rows[0] : rows[at + by];
  next?.focus();
  return next !== undefined;
}

/** The run whose row has the focus. */
export const focusedRun = (): string | undefined =>
  document.activeElement?.closest<HTMLElement>("[data-run]")?.dataset.run;

/** A row that moves to another group is drawn anew there. If it had the focus, it gets it back. */
export function useKeptFocus(list: RefObject<HTMLElement | null>, ...changes: unknown[]): void {
  const focused = useRef<string>(undefined);
  useLayoutEffect(() => {
    const element = list.current;
    const onFocus = () => {
      focused.current = focusedRun();
    };
    // When the focused element is removed, no element has the focus, and no focusin follows.
    document.addEventListener("focusin", onFocus);
    if (focused.current !== undefined && document.activeElement === document.body) {
      const row = element?.querySelector(`[data-run="${CSS.escape(focused.current)}"]`);
      row?.querySelector<HTMLElement>("a[data-row]")?.focus({ preventScroll: true });
    }
    return () => document.removeEventListener("focusin", onFocus);
  }, [list, ...changes]);
}
