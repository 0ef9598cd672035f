import type { RunRecord } from "@spoor/protocol/client";
import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { records } from "../live/live.ts";
import { useActive, useRuns } from "../live/use-runs.ts";
import { useWaiting } from "../live/use-waiting.ts";
import { visibleLine } from "../text/visible.ts";
import { announce, announceNow } from "../ui/announce.ts";
import { askedIn } from "../ui/asked.ts";
import { notify } from "../ui/notifications.ts";
import { setWaiting } from "../ui/page-title.ts";
import { shownState } from "../ui/run-state.ts";
import { news, withThoseBefore } from "./news.ts";
import { setTabIcon } from "./tab-icon.ts";

/** Tells that something waits: in the title and the icon of the tab, to screen readers, and as a notification. */
export function Attention() {
  // The list of all runs begins with the newest. An older run that asks, or ends, is among those that are not over.
  const { runs: newest, state } = useRuns();
  const active = useActive();
  const waiting = useWaiting();
  const [, go] = useLocation();
  const before = useRef<readonly RunRecord[]>(undefined);

  useEffect(() => {
    setWaiting(waiting.count);
    setTabIcon(waiting.count > 0);
  }, [waiting]);

  useEffect(() => {
    if (state !== "ready" || !active.isReady) return;
    const runs = withThoseBefore(before.current, [...newest, ...active.runs], records.read);
    for (const { run, group } of news(before.current, runs)) {
      const { word } = shownState(run, Date.now());
      if (group === "needs") {
        const sentence = `${word}: ${visibleLine(askOf(run))}`;
        announceNow(sentence);
        notify(run, sentence, go);
      } else announce(`${word}: ${visibleLine(run.title ?? run.agent)}`);
    }
    before.current = runs;
  }, [newest, active, state, go]);
  return null;
}

/** What a waiting run asks, from its line in the list. */
const askOf = ({ now, title, agent }: RunRecord): string => askedIn(now) ?? title ?? agent;
