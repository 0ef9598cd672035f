import { Suspense } from "react";
import { DamagedRun } from "../frame/banners/damaged-run.tsx";
import { NotFound } from "../frame/not-found.tsx";
import { useRun } from "../live/use-run.ts";
import { isRunScreen, type RunScreen } from "../routes.ts";
import { lazyScreen } from "../ui/lazy-screen.ts";
import { Loading } from "../ui/loading.tsx";
import { Conversation } from "./conversation/conversation.tsx";
import { Head } from "./head/head.tsx";
import { MissingRun } from "./missing-run.tsx";
import { ReplayBanner } from "./replay/replay-banner.tsx";
import { ReplayProvider, useReplayOf, useShownSnapshot } from "./replay/use-replay.ts";
import type { RunScreenProps } from "./run-screen-props.ts";
import { useRunAnnouncements } from "./use-run-announcements.ts";

const screens: Record<RunScreen, React.ComponentType<RunScreenProps>> = {
  conversation: Conversation,
  changes: lazyScreen(() => import("./changes/changes.tsx")),
  timeline: lazyScreen(() => import("./timeline/timeline.tsx")),
  events: lazyScreen(() => import("./events/run-events.tsx")),
};

export default function Run({ runId, view = "conversation" }: { runId: string; view?: string | undefined }) {
  const live = useRun(runId);
  const replay = useReplayOf(runId);
  const snapshot = useShownSnapshot(replay, live);
  useRunAnnouncements(live.view);
  if (!isRunScreen(view)) return <NotFound />;
  if (snapshot.state === "missing") return <MissingRun runId={runId} />;
  const Screen = screens[view];
  return (
    <ReplayProvider value={replay}>
      <Head runId={runId} snapshot={snapshot} screen={view} />
      <ReplayBanner runId={runId} screen={view} />
      <DamagedRun record={snapshot.record} />
      <Suspense fallback={<Loading />}>
        {snapshot.state === "loading" ? <Loading /> : <Screen runId={runId} snapshot={snapshot} />}
      </Suspense>
    </ReplayProvider>
  );
}
