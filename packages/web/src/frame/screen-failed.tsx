import { useEffect, useState } from "react";
import styles from "./screen-failed.module.css";

type Reason = keyof typeof texts;

const texts = {
  old: {
    title: "This page is older than the server.",
    text: "The server was updated, and a part of this page is no longer there. Nothing is lost: the page holds no state of its own.",
  },
  gone: {
    title: "The server does not answer.",
    text: "A part of this page could not be loaded. Start the server again with npx spoor serve, then load the page again.",
  },
  broken: {
    title: "This screen failed.",
    text: "Nothing in the log is lost or changed. Load the page again; if it fails again, the other screens still work.",
  },
} as const;

/** What is shown in the place of a screen that cannot be loaded or drawn. */
export function ScreenFailed({ error }: { error: Error }) {
  const [reason, setReason] = useState<Reason | undefined>(isMissingPart(error) ? undefined : "broken");
  useEffect(() => {
    if (isMissingPart(error)) void whyMissing().then(setReason);
  }, [error]);
  if (!reason) return null;
  const { title, text } = texts[reason];
  return (
    <main id="main" className={`page ${styles.failed}`} role="alert">
      <h1>{title}</h1>
      <p>{text}</p>
      {reason === "broken" && <pre className={styles.message}>{error.message}</pre>}
      <button type="button" className="btn primary" onClick={() => location.reload()}>
        Reload
      </button>
    </main>
  );
}

/** Browsers say in different words that a part of the page cannot be loaded. */
const isMissingPart = ({ message }: Error): boolean =>
  /dynamically imported module|module script failed|preload CSS/i.test(message);

/** A server that answers has other parts than this page asks for. */
async function whyMissing(): Promise<Reason> {
  try {
    await fetch("/", { method: "HEAD", cache: "no-store" });
    return "old";
  } catch {
    return "gone";
  }
}
