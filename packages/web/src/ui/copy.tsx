import { useEffect, useState } from "react";
import { announce } from "./announce.ts";
import { Icon } from "./icon.tsx";

/** A button that copies a text. `label` says what is copied; with `children` it shows words, else only an icon. */
export function CopyButton({ text, label, children }: { text: string; label: string; children?: string }) {
  const { told, copy } = useCopy();
  return (
    <button
      type="button"
      className={`btn quiet small ${children ? "" : "icon"}`}
      aria-label={children ? undefined : label}
      title={label}
      onClick={() => void copy(text)}
    >
      <Icon name={told === "Copied" ? "tick" : "copy"} small />
      {children}
    </button>
  );
}

/** Copies texts, and tells for a moment whether it worked. An absent text is one that could not be had. */
export function useCopy(): {
  told: "Copied" | "Not copied" | undefined;
  copy: (text: string | undefined) => Promise<void>;
} {
  const [told, setTold] = useState<"Copied" | "Not copied">();
  useEffect(() => {
    if (told === undefined) return;
    const timer = setTimeout(() => setTold(undefined), 1500);
    return () => clearTimeout(timer);
  }, [told]);
  const copy = async (text: string | undefined) => {
    const done = text !== undefined && (await copyText(text));
    setTold(done ? "Copied" : "Not copied");
    announce(done ? "Copied." : text === undefined ? "Not copied." : "The browser did not allow copying.");
  };
  return { told, copy };
}

/** Puts a text into the clipboard, and returns whether the browser allowed it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** Over plain HTTP in a private network a page has no clipboard of its own. */
function copyBySelection(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  field.style.position = "fixed";
  field.style.opacity = "0";
  (before?.closest("dialog") ?? document.body).append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return done;
}
