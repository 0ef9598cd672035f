import { useEffect, useState } from "react";
import { useRoute } from "wouter";
import { connectNow, useConnection } from "../../live/use-connection.ts";
import { useRun } from "../../live/use-run.ts";
import { announce } from "../../ui/announce.ts";
import { clockTime, count } from "../../ui/format.ts";
import { useNow } from "../../ui/use-now.ts";
import styles from "./banner.module.css";
import { Banner } from "./banner.tsx";
import { cameIn } from "./came-in.ts";
import { type ConnectionNotice, noticeOf } from "./connection-notice.ts";

/** Says what is the matter with the connection, over the screen and under the bar. */
export function ConnectionBanner() {
  const connection = useConnection();
  const now = useNow(1000);
  const [dismissed, dismiss] = useState(0);
  // A state may be newer than the last tick.
  const notice = noticeOf(connection, Math.max(now, Date.now()), dismissed);
  const spoken = notice && speech(notice);
  useEffect(() => {
    if (spoken) announce(spoken);
  }, [spoken]);
  if (!notice) return null;
  const since = connection.state === "waiting" ? connection.since : undefined;
  return (
    <div className={styles.float} data-notice={notice.kind}>
      <Notice notice={notice} since={since} onDismiss={dismiss} />
    </div>
  );
}

function Notice({
  notice,
  since,
  onDismiss,
}: {
  notice: ConnectionNotice;
  since: number | undefined;
  onDismiss: (at: number) => void;
}) {
  switch (notice.kind) {
    case "reconnecting":
      return (
        <Banner
          tone="wait"
          icon="clock"
          title={notice.seconds > 0 ? `Reconnecting in ${notice.seconds} s.` : "Reconnecting."}
          action={<Do what={connectNow}>Now</Do>}
        >
          <ShownUpTo since={since} />
        </Banner>
      );
    case "gone":
      return (
        <Banner tone="bad" icon="failed" title="The server is gone." action={<Do what={connectNow}>Try now</Do>}>
          Start it with <code>npx spoor serve</code>. This page goes on by itself.
        </Banner>
      );
    case "back":
      return (
        <Banner tone="ok" icon="tick" title="Back.">
          {cameIn(notice.events)} {notice.events > 0 && "None lost, none twice."}
        </Banner>
      );
    case "gap":
      return (
        <Banner
          tone="quiet"
          icon="gap"
          title="Back, but events are missing."
          action={<Do what={() => onDismiss(notice.at)}>Close</Do>}
        >
          {cameIn(notice.events)} A break in the run says which are gone, and why.
        </Banner>
      );
    case "log_replaced":
      return (
        <Banner tone="bad" icon="undo" title="The log was replaced." action={<Do what={reload}>Read again</Do>}>
          What is shown here is no longer what is stored.
        </Banner>
      );
    case "old_page":
      return (
        <Banner
          tone="bad"
          icon="undo"
          title="This page is older than the server."
          action={<Do what={reload}>Reload</Do>}
        >
          It cannot read what the server sends. Nothing is lost by loading it again.
        </Banner>
      );
  }
}

const reload = () => location.reload();

function Do({ what, children }: { what: () => void; children: string }) {
  return (
    <button type="button" className="btn small" onClick={what}>
      {children}
    </button>
  );
}

/** How far the screen is: the last event of the run that is shown, or the time of the break. */
function ShownUpTo({ since }: { since: number | undefined }) {
  const [isRun, parameters] = useRoute("/runs/:id/:view?");
  if (isRun && parameters.id !== undefined) return <RunShownUpTo runId={parameters.id} />;
  return since === undefined ? "Nothing is lost." : `Shown as of ${clockTime(since)}; nothing is lost.`;
}

function RunShownUpTo({ runId }: { runId: string }) {
  const { view, state } = useRun(runId);
  return state === "ready" ? `Shown up to event ${count(view.lastSequence)}; nothing is lost.` : "Nothing is lost.";
}

/** For people who do not see the banner: no countdown. */
function speech(notice: ConnectionNotice): string {
  switch (notice.kind) {
    case "reconnecting":
      return "The connection is broken. The page reconnects by itself; nothing is lost.";
    case "gone":
      return "The server is gone. The page goes on by itself when it is back.";
    case "back":
      return `Reconnected. ${cameIn(notice.events)}`;
    case "gap":
      return "Reconnected, but events are missing.";
    case "log_replaced":
      return "The log was replaced. Read it again.";
    case "old_page":
      return "This page is older than the server. Reload it.";
  }
}
