import { Link, useLocation } from "wouter";
import type { RunSnapshot } from "../../live/run-snapshot.ts";
import { type RunScreen, routes, runScreens } from "../../routes.ts";
import { count } from "../../ui/format.ts";
import { useKeys } from "../../ui/keys.ts";
import styles from "./head.module.css";
import { ToolsPlace } from "./run-tools.tsx";

/** The four views of a run. They are links, because each has its own address. The keys 1 to 4 lead to them. */
export function RunTabs({ runId, snapshot, screen }: { runId: string; snapshot: RunSnapshot; screen: RunScreen }) {
  const [, navigate] = useLocation();
  useKeys(
    Object.fromEntries(runScreens.map((name, index) => [`${index + 1}`, () => navigate(routes.run(runId, name))])),
  );
  const { view, record } = snapshot;
  const isRead = view.lastSequence >= 0;
  const counts: Partial<Record<RunScreen, number | undefined>> = {
    changes: isRead ? new Set(view.files.map(({ path }) => path)).size : record?.files_changed,
    events: Math.max(view.lastSequence, record?.last_sequence ?? -1) + 1,
  };
  return (
    <nav className={styles.tabs} aria-label="Views of the run">
      {runScreens.map((name) => (
        <Link key={name} href={routes.run(runId, name)} aria-current={name === screen ? "page" : undefined}>
          {names[name]}
          {(counts[name] ?? 0) > 0 && <span className="count">{count(counts[name])}</span>}
        </Link>
      ))}
      <ToolsPlace />
    </nav>
  );
}

const names: Readonly<Record<RunScreen, string>> = {
  conversation: "Conversation",
  changes: "Changes",
  timeline: "Timeline",
  events: "Events",
};
