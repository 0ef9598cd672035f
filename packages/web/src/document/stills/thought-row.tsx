import type { RowOf } from "../../run/conversation/row-types.ts";
import styles from "../../run/conversation/rows/rows.module.css";
import { VisibleText } from "../../text/visible-text.tsx";
import { stepTime } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";

/** A thought: one line, and its text on request. */
export function ThoughtRow({ row: { thought, durationMs } }: { row: RowOf<"thought"> }) {
  return (
    <details className={styles.thought}>
      <summary>
        <Icon name="thought" small />
        {durationMs === undefined ? "Thought" : `Thought for ${stepTime(durationMs)}`}
      </summary>
      <p className={styles.thinking}>
        <VisibleText text={thought.text} />
      </p>
    </details>
  );
}
