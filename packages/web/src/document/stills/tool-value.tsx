import styles from "../../run/conversation/cards/cards.module.css";
import { VisibleText } from "../../text/visible-text.tsx";

/** A value of a call and its name. A long one scrolls in its own box, also by keyboard. */
export function Value({ name, value, isBad = false }: { name: string; value: unknown; isBad?: boolean }) {
  const text = (typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "")).trimEnd();
  const isLong = text.length > 2_000 || text.split("\n").length > 24;
  return (
    <div className={`${styles.value} ${isBad ? styles.badValue : ""}`}>
      <span className={styles.name}>
        <VisibleText text={name} />
      </span>
      <pre tabIndex={isLong ? 0 : undefined}>
        <VisibleText text={text} />
      </pre>
    </div>
  );
}
