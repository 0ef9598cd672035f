import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Icon, type IconName } from "./icon.tsx";
import styles from "./menu.module.css";

export interface MenuItem {
  readonly label: string;
  readonly onSelect: () => void;
  readonly icon?: IconName | undefined;
  /** The key that does the same. */
  readonly shortcut?: string | undefined;
  /** Why it cannot be chosen now. It stays reachable, so that the reason can be read. */
  readonly disabled?: string | undefined;
  readonly isDangerous?: boolean | undefined;
  /** For a choice among several: whether it is the chosen one. */
  readonly isChecked?: boolean | undefined;
}

interface MenuProps {
  /** The name of the button, for screen readers when it shows only an icon. */
  label: string;
  items: readonly MenuItem[];
  children: ReactNode;
  className?: string;
}

/** A button that opens a list of actions. Arrow keys, Home, End and first letters move; Esc closes. */
export function Menu({ label, items, children, className = "btn" }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);

  useEffect(() => {
    const popover = list.current;
    const onToggle = (event: Event) => {
      const opens = event instanceof ToggleEvent && event.newState === "open";
      setOpen(opens);
      if (!opens || !popover || !button.current) return;
      place(popover, button.current);
      itemsIn(popover)[0]?.focus();
    };
    popover?.addEventListener("toggle", onToggle);
    return () => popover?.removeEventListener("toggle", onToggle);
  }, []);

  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        popoverTarget={id}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" || isOpen) return;
          event.preventDefault();
          list.current?.showPopover();
        }}
      >
        {children}
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        className={styles.menu}
        onKeyDown={(event) => move(event, list.current, button.current)}
      >
        {items.map(({ label: name, onSelect, icon, shortcut, disabled, isDangerous, isChecked }) => (
          <button
            key={name}
            type="button"
            {...(isChecked === undefined ? { role: "menuitem" } : { role: "menuitemradio", "aria-checked": isChecked })}
            tabIndex={-1}
            className={`${styles.item} ${isDangerous ? styles.danger : ""}`}
            aria-disabled={disabled !== undefined}
            onClick={() => {
              if (disabled !== undefined) return;
              list.current?.hidePopover();
              button.current?.focus();
              onSelect();
            }}
          >
            <span className={styles.icon}>
              {(icon || isChecked) && <Icon name={isChecked ? "tick" : (icon ?? "tick")} small />}
            </span>
            <span className={styles.name}>
              {name}
              {disabled !== undefined && <small>{disabled}</small>}
            </span>
            {shortcut && <kbd>{shortcut}</kbd>}
          </button>
        ))}
      </div>
    </>
  );
}

const itemsIn = (menu: Element | null): HTMLElement[] => [
  ...(menu?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? []),
];

function move(event: KeyboardEvent, menu: HTMLElement | null, button: HTMLElement | null): void {
  const items = itemsIn(menu);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const target = targetOf(event.key, items, at);
  if (event.key === "Tab") {
    menu?.hidePopover();
    button?.focus();
  }
  if (event.key === "Escape") button?.focus();
  // The page must not take the keys of an open menu for its own.
  event.stopPropagation();
  if (!target) return;
  event.preventDefault();
  target.focus();
}

function targetOf(key: string, items: HTMLElement[], at: number): HTMLElement | undefined {
  if (key === "ArrowDown") return items[(at + 1) % items.length];
  if (key === "ArrowUp") return items.at(at <= 0 ? -1 : at - 1);
  if (key === "Home") return items[0];
  if (key === "End") return items.at(-1);
  if (!/^\p{L}$/u.test(key)) return undefined;
  const later = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  return later.find(({ textContent }) => textContent.trim().toLowerCase().startsWith(key.toLowerCase()));
}

/** Below the button, at its right edge where there is no room to the right; above it where there is none below. */
function place(menu: HTMLElement, button: HTMLElement): void {
  const gap = 4;
  const edge = 8;
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const fitsRight = at.left + width + edge <= innerWidth;
  const fitsBelow = at.bottom + gap + height + edge <= innerHeight;
  menu.style.left = `${Math.max(edge, fitsRight ? at.left : at.right - width)}px`;
  menu.style.top = `${Math.max(edge, fitsBelow ? at.bottom + gap : at.top - gap - height)}px`;
}
