import { joined } from "../ui/joined.ts";
import { timeFills } from "../ui/time-parts.ts";
import type { Column } from "./column.ts";
import styles from "./compare.module.css";
import { stripWords } from "./time-strip.ts";

/** The time of a run by what it went to. All bars have one scale: `longest` fills the width. */
export function TimeBar({ column, longest }: { column: Column; longest: number }) {
  const { spans, strip, length } = column;
  if (!spans || length === 0) return <span className="dim">—</span>;
  const rest = Math.max(0, longest - length);
  return (
    <div className={styles.strip} role="img" aria-label={stripWords(spans, length)}>
      {joined(strip, ({ part, length: own }) => (
        <i className={timeFills[part]} style={{ flexGrow: own }} />
      ))}
      {rest > 0 && <b style={{ flexGrow: rest }} />}
    </div>
  );
}
