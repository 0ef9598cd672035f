import type { ErrorView, GapView, NoteView, RetryView } from "@spoor/protocol";
import { VisibleText } from "../../../text/visible-text.tsx";
import { clockTime, stepTime } from "../../../ui/format.ts";
import { Icon } from "../../../ui/icon.tsx";
import { useNow } from "../../../ui/use-now.ts";
import { gapWords } from "../words/gap-words.ts";
import { noteWords } from "../words/note-words.ts";
import styles from "./rows.module.css";

/** Rows of one line: errors, retries, gaps and notes. */

export function ErrorRow({ error: { message, code, type, at, fatal } }: { error: ErrorView }) {
  return (
    <p className={styles.error}>
      <Icon name={fatal ? "failed" : "needs"} small />
      <span>
        <VisibleText text={message} />{" "}
        <span className={styles.code}>
          <VisibleText text={code ?? type} />
          {at && ` · ${clockTime(at)}`}
        </span>
      </span>
    </p>
  );
}

export function RetryRow({ retry, isOpen }: { retry: RetryView; isOpen: boolean }) {
  const { reason, attempt, maxAttempts } = retry;
  return (
    <p className={styles.error}>
      <Icon name="clock" small />
      <span className="num">
        <VisibleText text={reason} />
        {isOpen ? <CountDown retry={retry} /> : ", tried again"}
        {attempt !== undefined && `, ${attempt}${maxAttempts ? ` of ${maxAttempts}` : ""}`}
      </span>
    </p>
  );
}

function CountDown({ retry: { at, delayMs = 0 } }: { retry: RetryView }) {
  const left = Date.parse(at ?? "") + delayMs - useNow(1000);
  return left > 0 ? `, trying again in ${stepTime(Math.ceil(left / 1000) * 1000)}` : ", trying again";
}

/** A hatched break across the trail. Nobody can dismiss it. */
export function GapRow({ gap }: { gap: GapView }) {
  const words = gapWords(gap);
  if (gap.type === "gap.run_disconnected")
    return (
      <p className={styles.error}>
        <Icon name="plug" small />
        <span>
          <VisibleText text={words} />
        </span>
      </p>
    );
  return (
    <p className={styles.gap}>
      <span>
        <Icon name="gap" />
        <VisibleText text={words} />
      </span>
    </p>
  );
}

export function NoteRow({ note }: { note: NoteView }) {
  return (
    <p className={styles.note}>
      <span>
        <VisibleText text={noteWords(note)} />
        {note.at && <span className="num"> · {clockTime(note.at)}</span>}
      </span>
    </p>
  );
}
