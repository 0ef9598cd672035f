import { type FormEvent, useId, useState } from "react";
import { Dialog } from "../../ui/dialog.tsx";
import { isSendKey } from "../../ui/keys.ts";
import styles from "./actions.module.css";

interface ConfirmDialogProps {
  title: string;
  /** What will happen. */
  children: string;
  confirm: string;
  isDangerous?: boolean;
  /** With a field whose text is given to `onConfirm`. */
  field?: { label: string; placeholder: string } | { label: string; most: number } | undefined;
  onConfirm: (text: string) => void;
  onClose: () => void;
}

/** Asks before something that costs money or cannot be undone. */
export function ConfirmDialog({
  title,
  children,
  confirm,
  isDangerous,
  field,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  const id = useId();
  const [text, setText] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onClose();
    onConfirm(text.trim());
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        <p>{children}</p>
        {field && (
          <label htmlFor={id}>
            <span>{field.label}</span>
            {"most" in field ? (
              <input
                id={id}
                type="number"
                required
                min={1}
                max={field.most}
                value={text}
                onChange={(event) => setText(event.target.value)}
              />
            ) : (
              <textarea
                id={id}
                rows={3}
                value={text}
                placeholder={field.placeholder}
                onChange={(event) => setText(event.target.value)}
                onKeyDown={(event) => {
                  if (isSendKey(event)) submit(event);
                }}
              />
            )}
          </label>
        )}
        <footer>
          <button type="button" className="btn" onClick={onClose}>
            Leave it
          </button>
          <button type="submit" className={`btn ${isDangerous ? "strong danger" : "primary"}`}>
            {confirm}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
