import type { RunSnapshot } from "../../live/run-snapshot.ts";
import { visibleLine } from "../../text/visible.ts";
import { span } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { shownState, silentFor } from "../../ui/run-state.ts";
import { StalledAction } from "../actions/stalled-action.tsx";
import styles from "./head.module.css";
import { lastWords } from "./last-words.ts";

/** Says that the run has been silent for long, what is known about it, and offers what can be done. */
export function RunBanners({ runId, snapshot, now }: { runId: string; snapshot: RunSnapshot; now: number }) {
  const { record, view } = snapshot;
  const silence = silentFor(view, now);
  const isStalled = shownState(view, now).id === "stalled";
  const last = lastWords(view);
  return (
    <>
      {isStalled && silence !== undefined && (
        <div className={`${styles.banner} ${styles.stalled}`} role="status">
          <Icon name="stalled" />
          <span>
            <b>Silent for {span(silence)}.</b> {alive(record?.alive)} Last:{" "}
            {last.code && <code>{visibleLine(last.code)}</code>} {visibleLine(last.words)}
          </span>
          <span className="push" />
          <StalledAction runId={runId} snapshot={snapshot} />
        </div>
      )}
      {!isStalled && silence !== undefined && <p className={styles.quiet}>quiet for {span(silence)}</p>}
    </>
  );
}

const alive = (isAlive: boolean | undefined): string =>
  isAlive === undefined
    ? "Whether its process lives is not known."
    : isAlive
      ? "Its process is alive."
      : "Its process is gone.";
