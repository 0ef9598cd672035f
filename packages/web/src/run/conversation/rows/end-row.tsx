import type { RunEnd } from "@spoor/protocol";
import { VisibleText } from "../../../text/visible-text.tsx";
import { clockTime, plural, stepTime } from "../../../ui/format.ts";
import { Icon, type IconName } from "../../../ui/icon.tsx";
import { RetryButton } from "../../actions/retry-button.tsx";
import { endWords } from "../words/end-words.ts";
import styles from "./rows.module.css";

/** How the run ended. A failure that may pass offers to try again. */
export function EndRow({ end }: { end: RunEnd }) {
  const { status, message, code, turns, durationMs, at, retriable } = end;
  const facts = [
    turns === undefined ? "" : plural(turns, "turn"),
    durationMs === undefined ? "" : stepTime(durationMs),
    at ? clockTime(at) : "",
    status === "failed" && retriable === false ? "trying again will not help" : "",
  ].filter(Boolean);
  return (
    <div className={`${styles.end} ${{ completed: "", failed: styles.endBad, cancelled: styles.endQuiet }[status]}`}>
      <Icon name={icons[status]} />
      <span className={styles.endText}>
        <b>{endWords(end)}</b>{" "}
        {message && (
          <span className={styles.endMessage}>
            <VisibleText text={message} />
          </span>
        )}
        {code && (
          <span className={styles.code}>
            <VisibleText text={code} />
          </span>
        )}
        <span className="dim num"> {facts.join(" · ")}</span>
      </span>
      {status === "failed" && retriable !== false && <RetryButton />}
    </div>
  );
}

const icons: Readonly<Record<RunEnd["status"], IconName>> = { completed: "done", failed: "failed", cancelled: "minus" };
