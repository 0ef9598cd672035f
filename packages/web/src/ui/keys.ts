import { useEffect, useLayoutEffect, useRef } from "react";
import { createKeyReader, type KeyMap } from "./key-reader.ts";
import { storedSwitch } from "./stored.ts";

/**
 * Handles keys while the component is mounted and `isOn`. The component that was mounted last is asked first; a handler
 * that returns false passes the key on.
 *
 * Names: `j`, `shift+t`, `mod+k` (⌘ or Ctrl), `g r` (one after the other), `enter`, `escape`, `space`, `arrowdown`, `[`, `?`.
 * Single keys do nothing while a field has the focus or a dialog is open, and when the reader turned them off.
 * Keys with `mod` always work. `inDialog` is for keys of a dialog itself.
 */
export function useKeys(
  map: KeyMap,
  { isOn = true, inDialog = false }: { isOn?: boolean; inDialog?: boolean } = {},
): void {
  const latest = useRef(map);
  // Before the next key can come, so that no handler knows only what was typed before the last change.
  useLayoutEffect(() => {
    latest.current = map;
  });
  useEffect(() => {
    if (!isOn) return;
    const entry = { map: () => latest.current, inDialog };
    if (registered.length === 0) addEventListener("keydown", reader);
    registered.push(entry);
    return () => {
      registered.splice(registered.indexOf(entry), 1);
      if (registered.length === 0) removeEventListener("keydown", reader);
    };
  }, [isOn, inDialog]);
}

/** The switch of the help that turns single keys off. */
export const singleKeys = storedSwitch("single-keys", true);

const registered: { readonly map: () => KeyMap; readonly inDialog: boolean }[] = [];

const reader = createKeyReader({
  maps: () => {
    const isModal = document.querySelector("dialog:modal") !== null;
    return registered.filter(({ inDialog }) => inDialog || !isModal).map(({ map }) => map());
  },
  singleKeysAreOn: () => singleKeys.read(),
});

/** Whether a key sends what is written in a field: Enter with ⌘ or Ctrl, because Enter alone begins a new line. */
export const isSendKey = ({ key, metaKey, ctrlKey }: Pick<KeyboardEvent, "key" | "metaKey" | "ctrlKey">): boolean =>
  key === "Enter" && (metaKey || ctrlKey);

/** How a key is written on this machine: `⌘K` on a Mac, `Ctrl K` elsewhere. */
export function keyLabel(name: string): string {
  return name
    .split(" ")
    .map((chord) =>
      chord
        .split(/(?<=.)\+/)
        .map(labelOf)
        .join(isMac || !chord.includes("mod") ? "" : " "),
    )
    .join(" ");
}

const labelOf = (key: string): string => labels[key] ?? key.toUpperCase();

const isMac = /mac|iphone|ipad/i.test(globalThis.navigator?.userAgent ?? "");

const labels: Record<string, string> = {
  mod: isMac ? "⌘" : "Ctrl",
  shift: "⇧",
  enter: "↵",
  escape: "Esc",
  space: "Space",
  home: "Home",
  end: "End",
  arrowdown: "↓",
  arrowup: "↑",
  arrowleft: "←",
  arrowright: "→",
};
