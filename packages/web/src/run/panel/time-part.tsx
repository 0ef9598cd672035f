import { timeParts } from "@spoor/protocol";
import type { RunSnapshot } from "../../live/run-snapshot.ts";
import { duration, stepTime } from "../../ui/format.ts";
import { timeFills, timeNames, timeOrder } from "../../ui/time-parts.ts";
import { useNow } from "../../ui/use-now.ts";
import { elapsedOf } from "../head/elapsed.ts";
import styles from "./panel.module.css";

/** Where the time went: the model, tools, waiting for a person. */
export function TimePart({ snapshot }: { snapshot: RunSnapshot }) {
  const now = useNow(1000);
  const spans = snapshot.spans?.spans;
  const whole = elapsedOf(snapshot, now);
  if (!spans || whole === undefined || whole === 0) return null;
  const parts = timeParts(spans, whole);
  const shown = timeOrder.filter((part) => parts[part] > 0);
  return (
    <section className={styles.time}>
      <h2>
        Time <span className="dim num">{duration(whole)}</span>
      </h2>
      <div
        className={`split ${styles.split}`}
        role="img"
        aria-label={shown.map((part) => `${timeNames[part]} ${partTime(parts[part])}`).join(", ")}
      >
        {shown.map((part) => (
          <i key={part} className={timeFills[part]} style={{ flexGrow: parts[part] / whole }} />
        ))}
      </div>
      <div className="legend num">
        {shown.map((part) => (
          <span key={part}>
            <i className={timeFills[part]} />
            {timeNames[part]} {partTime(parts[part])}
          </span>
        ))}
      </div>
    </section>
  );
}

/** Less than a second is not `0:00`. */
const partTime = (ms: number): string => (ms < 1_000 ? stepTime(ms) : duration(ms));
