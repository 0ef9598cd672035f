import { VisibleText } from "../../../text/visible-text.tsx";
import { stepTime } from "../../../ui/format.ts";
import { Icon } from "../../../ui/icon.tsx";
import { useRunFacts } from "../../run-context.ts";
import type { RowOf } from "../row-types.ts";
import { useOpen } from "../use-openness.ts";
import styles from "./rows.module.css";

/** A thought: one line, and its text on request. */
export function ThoughtRow({ row: { thought, durationMs, sequence } }: { row: RowOf<"thought"> }) {
  const { showsThoughts } = useRunFacts();
  const [isChosen, toggle] = useOpen(`thought ${sequence}`, false);
  const isOpen = isChosen !== showsThoughts;
  const words = !thought.complete
    ? "Thinking…"
    : durationMs === undefined
      ? "Thought"
      : `Thought for ${stepTime(durationMs)}`;
  return (
    <div className={styles.thought}>
      <button type="button" aria-expanded={isOpen} onClick={toggle} data-toggle>
        <Icon name="thought" small />
        {words}
      </button>
      {isOpen && (
        <p className={styles.thinking}>
          <VisibleText text={thought.text} />
        </p>
      )}
    </div>
  );
}
