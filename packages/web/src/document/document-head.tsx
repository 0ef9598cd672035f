import { Mark } from "../frame/mark.tsx";
import type { RunSnapshot } from "../live/run-snapshot.ts";
import styles from "../run/head/head.module.css";
import { RunMeta } from "../run/head/run-meta.tsx";
import { titleOf } from "../run/head/title-of.ts";
import { visible } from "../text/visible.ts";
import { clockTime, count, dayAndTime } from "../ui/format.ts";
import { joined } from "../ui/joined.ts";
import { shownState } from "../ui/run-state.ts";
import { StateChip } from "../ui/state-chip.tsx";

interface DocumentHeadProps {
  snapshot: RunSnapshot;
  now: number;
  /** How many files were changed. */
  files: number;
  omissions: readonly string[];
}

/** What the run is, how it stands, and where its parts are in the file. */
export function DocumentHead({ snapshot, now, files, omissions }: DocumentHeadProps) {
  const { view } = snapshot;
  const { inputTokens, outputTokens } = view.cost;
  return (
    <>
      <a className="skip" href="#main">
        Skip to the conversation
      </a>
      <header className={`${styles.head} still`}>
        <div className={styles.inner}>
          <p className="maker dim">
            <Mark /> Spoor · a run as a file
            <span className="push" />
            <span className="tools" hidden>
              <button type="button" className="btn quiet small" data-all="open">
                Open all
              </button>
              <button type="button" className="btn quiet small" data-all="close">
                Close all
              </button>
            </span>
          </p>
          <div className={styles.top}>
            <h1>{visible(titleOf(snapshot))}</h1>
            <StateChip state={shownState(view, now)} form="chip" />
          </div>
          <RunMeta snapshot={snapshot} now={now} />
          <p className={`${styles.meta} num`}>
            {view.createdAt && <span>{timesOf(view.createdAt, view.end?.at)} UTC</span>}
            {inputTokens + outputTokens > 0 && (
              <span>
                {count(inputTokens)} tokens in, {count(outputTokens)} out
              </span>
            )}
            {view.runId && <span className="mono">{view.runId}</span>}
          </p>
          {omissions.length > 0 && (
            <div className={styles.banner} role="note">
              <span>
                <b>Parts of this run are left out.</b> {joined(omissions, (text) => `${text} `)}
              </span>
            </div>
          )}
          <nav className={styles.tabs} aria-label="Parts of the file">
            <a href="#conversation">Conversation</a>
            {files > 0 && (
              <a href="#changes">
                Changes <span className="count">{count(files)}</span>
              </a>
            )}
            <a href="#timeline">Timeline</a>
          </nav>
        </div>
      </header>
    </>
  );
}

/** From when to when. The day is written once if it is the same. */
function timesOf(from: string, to: string | undefined): string {
  if (to === undefined) return dayAndTime(from);
  const isSameDay = from.slice(0, 10) === to.slice(0, 10);
  return `${dayAndTime(from)} – ${isSameDay ? clockTime(to) : dayAndTime(to)}`;
}
