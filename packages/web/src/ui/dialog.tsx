import { type ReactNode, useEffect, useId, useRef } from "react";
import styles from "./dialog.module.css";
import { Icon } from "./icon.tsx";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** `wide` for forms; `bare` draws no head, and `title` is its name for screen readers. */
  form?: "normal" | "wide" | "bare";
}

/** A modal dialog. It is open while it is mounted. Esc and a click beside it close it; the focus goes back to where it was. An element with `data-first-focus` gets it first. */
export function Dialog({ title, onClose, children, form = "normal" }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    if (!dialog?.open) dialog?.showModal();
    dialog?.querySelector<HTMLElement>("[data-first-focus]")?.focus();
    return () => {
      dialog?.close();
      ignoreSecondClick();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      className={`${styles.dialog} ${styles[form] ?? ""}`}
      aria-labelledby={form === "bare" ? undefined : heading}
      aria-label={form === "bare" ? title : undefined}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // The element covers only the box, so a press on the dialog itself is a press beside it.
      onMouseDown={(event) => {
        if (event.target === event.currentTarget && !isInside(event.currentTarget, event)) onClose();
      }}
    >
      {form !== "bare" && (
        <header className={styles.head}>
          <h2 id={heading}>{title}</h2>
          <button type="button" className="btn quiet icon" aria-label="Close" onClick={onClose}>
            <Icon name="cross" small />
          </button>
        </header>
      )}
      {children}
    </dialog>
  );
}

/** The second press of a double click on a dialog that the first one closed is not for what lies beneath, such as Approve. */
function ignoreSecondClick(): void {
  const end = new AbortController();
  const ignore = (event: MouseEvent) => {
    if (event.detail < 2) return;
    event.preventDefault();
    event.stopPropagation();
  };
  addEventListener("click", ignore, { capture: true, signal: end.signal });
  setTimeout(() => end.abort(), DOUBLE_CLICK_MS);
}

/** The longest time between two presses that systems take for a double click. */
const DOUBLE_CLICK_MS = 900;

function isInside(element: Element, { clientX, clientY }: { clientX: number; clientY: number }): boolean {
  const box = element.getBoundingClientRect();
  return clientX >= box.left && clientX <= box.right && clientY >= box.top && clientY <= box.bottom;
}
