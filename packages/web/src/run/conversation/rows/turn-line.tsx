import { visibleLine } from "../../../text/visible.ts";
import { count, duration, stepTime } from "../../../ui/format.ts";
import { RetryFromTurn } from "../../actions/retry-from-turn.tsx";
import type { RowOf } from "../row-types.ts";
import styles from "./rows.module.css";

/** A hairline with the number of the turn, when it began, and what it took. */
export function TurnLine({ row: { turn, isNewModel, offsetMs } }: { row: RowOf<"turn"> }) {
  const { usage, durationMs, status } = turn;
  const tokens =
    usage.inputTokens === undefined && usage.outputTokens === undefined
      ? ""
      : `${count(usage.inputTokens ?? 0)} in, ${count(usage.outputTokens ?? 0)} out`;
  const facts = [
    isNewModel && turn.model ? visibleLine(turn.model) : "",
    durationMs === undefined ? "" : stepTime(durationMs),
    tokens,
    turn.retried ? "retried" : "",
  ].filter(Boolean);
  return (
    <div className={`${styles.turn} num`}>
      <span className={styles.number}>Turn {turn.number}</span>
      {offsetMs !== undefined && <span>{duration(offsetMs)}</span>}
      <span className={styles.rule} />
      {status === "failed" && <span className={styles.bad}>failed</span>}
      {status === "cancelled" && <span>cancelled</span>}
      <RetryFromTurn turn={turn.number} />
      <span className={styles.facts}>{facts.join(" · ")}</span>
    </div>
  );
}
