import { useRef } from "react";
import { Link } from "wouter";
import type { RunSnapshot } from "../../live/run-snapshot.ts";
import { type RunScreen, routes } from "../../routes.ts";
import { visible, visibleLine } from "../../text/visible.ts";
import { CopyButton } from "../../ui/copy.tsx";
import { shortId } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { usePageTitle } from "../../ui/page-title.ts";
import { shownState } from "../../ui/run-state.ts";
import { StateChip } from "../../ui/state-chip.tsx";
import { useNow } from "../../ui/use-now.ts";
import { HeadActions } from "../actions/head-actions.tsx";
import { ProblemBanner } from "../actions/problem-banner.tsx";
import styles from "./head.module.css";
import { RunBanners } from "./run-banners.tsx";
import { RunMeta } from "./run-meta.tsx";
import { RunTabs } from "./run-tabs.tsx";
import { shownNow } from "./shown-now.ts";
import { titleOf } from "./title-of.ts";
import { useAbove } from "./use-above.ts";

/** The head of a run: what it is, what it does, and what can be done with it. */
export function Head({ runId, snapshot, screen }: { runId: string; snapshot: RunSnapshot; screen: RunScreen }) {
  const { record, view } = snapshot;
  const now = shownNow(snapshot, useNow(1000));
  const head = useRef<HTMLElement>(null);
  useAbove(head);
  const isKnown = view.lastSequence >= 0 || record !== undefined;
  const state = shownState(view.lastSequence < 0 && record ? record : view, now);
  usePageTitle(isKnown ? `${state.word} · ${visibleLine(titleOf(snapshot))}` : undefined);
  return (
    <header ref={head} className={styles.head} data-above-trail>
      <div className={styles.inner}>
        <div className={styles.crumb}>
          <Link href={routes.runs()} className="dim">
            Runs
          </Link>
          <span className="dim">/</span>
          <span className="dim mono">{shortId(runId)}</span>
          <CopyButton text={runId} label="Copy the id of the run" />
        </div>
        <div className={styles.top}>
          <Link className="back" href={routes.runs()} aria-label="All runs">
            <Icon name="right" />
          </Link>
          <h1 className="cut" title={visible(titleOf(snapshot))}>
            {visible(titleOf(snapshot))}
          </h1>
          {isKnown && <StateChip state={state} form="chip" />}
          <span className="push" />
          <HeadActions runId={runId} snapshot={snapshot} />
        </div>
        <RunMeta snapshot={snapshot} now={now} />
        <RunTabs runId={runId} snapshot={snapshot} screen={screen} />
        <ProblemBanner runId={runId} />
        <RunBanners runId={runId} snapshot={snapshot} now={now} />
      </div>
    </header>
  );
}
