import { lazy, Suspense, useDeferredValue, useEffect, useLayoutEffect, useMemo, useRef } from "react";
import { useLocation } from "wouter";
import { useRuns } from "../live/use-runs.ts";
import { routes } from "../routes.ts";
import { count as countOf, plural } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { useKeys } from "../ui/keys.ts";
import { Loading } from "../ui/loading.tsx";
import { usePageTitle } from "../ui/page-title.ts";
import { useNow } from "../ui/use-now.ts";
import { hasState, isEmpty, queryOf } from "./filter.ts";
import { Filters } from "./filters.tsx";
import { groupRuns } from "./groups.ts";
import { NotificationOffer } from "./notification-offer.tsx";
import { focusedRun, moveFocus, useKeptFocus } from "./row-focus.ts";
import { Rows } from "./rows.tsx";
import styles from "./runs.module.css";
import { useCounts } from "./use-counts.ts";
import { useHeldGroups } from "./use-held-groups.ts";
import { useListAddress } from "./use-list-address.ts";
import { useRunList } from "./use-run-list.ts";
import { useWaitingApprovals } from "./use-waiting-approvals.ts";

const FirstVisit = lazy(() => import("./first-visit.tsx"));

/** From this many rows on, only those near the screen are mounted. */
const VIRTUAL_FROM = 200;

/** All runs: what needs a person, what goes on, and what is over, by day. */
export function Runs() {
  usePageTitle("Runs");
  const { state, runs } = useRuns();
  const { isFiltered } = useListAddress();
  if (state === "loading") return <Loading />;
  if (state === "ready" && runs.length === 0 && !isFiltered)
    return (
      <Suspense fallback={<Loading />}>
        <FirstVisit />
      </Suspense>
    );
  return <RunsList />;
}

function RunsList() {
  const address = useListAddress();
  const { filter, segment, selected } = address;
  const [, go] = useLocation();
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const query = isEmpty(filter, segment) ? undefined : queryOf(filter, segment);
  const found = useRunList(query);
  const counts = useCounts();
  const approvals = useWaitingApprovals();
  // States change by silence alone, and days end: both are looked at again from time to time.
  const now = useNow(10_000);
  const runs = useDeferredValue(found.runs);
  const groups = useMemo(
    () =>
      groupRuns(
        runs.filter((run) => hasState(run, filter, segment, now)),
        now,
      ),
    [runs, filter, segment, now],
  );
  const held = useHeldGroups(groups, JSON.stringify(query ?? null));
  const rows = held.groups.reduce((sum, { entries }) => sum + entries.length, 0);
  const compare = () => go(routes.compare(selected));

  useKeptFocus(list, held.groups);
  useKeys({
    "/": () => field.current?.focus(),
    j: () => moveFocus(list.current, 1),
    k: () => moveFocus(list.current, -1),
    arrowdown: () => list.current?.contains(document.activeElement) && moveFocus(list.current, 1),
    arrowup: () => list.current?.contains(document.activeElement) && moveFocus(list.current, -1),
    x: () => {
      const runId = focusedRun();
      return runId === undefined ? false : address.toggle(runId);
    },
    o: () => {
      const runId = focusedRun();
      return runId === undefined ? false : go(routes.run(runId));
    },
    c: compare,
  });

  return (
    <main id="main" className="page">
      <div className="page-head">
        <h1>Runs</h1>
        <span className="dim num">{counts && countOf(counts.total)}</span>
        <span className="push" />
        <button type="button" className="btn icon primary only-phone" aria-label="New run" onClick={address.openNewRun}>
          <Icon name="plus" />
        </button>
      </div>
      <Filters address={address} field={field} counts={counts} runs={found.runs} now={now} onCompare={compare} />
      <NotificationOffer />
      {held.held > 0 && (
        <button type="button" className={styles.pill} onClick={held.release}>
          {plural(held.held, "new run")}
        </button>
      )}
      <div ref={list} {...held.pointer}>
        {held.groups.map((group) => (
          <section key={group.id} aria-labelledby={`group-${group.id}`}>
            <h2 id={`group-${group.id}`} className={styles.group}>
              {group.name}
              {(group.id === "needs" || group.id === "going") && (
                <span className={`count ${group.id === "needs" ? "needs" : ""}`}>{group.entries.length}</span>
              )}
            </h2>
            <Rows
              group={group}
              approvals={approvals}
              selected={selected}
              onSelect={address.toggle}
              isVirtual={rows > VIRTUAL_FROM}
            />
          </section>
        ))}
      </div>
      {rows === 0 && <Nothing list={found} onClear={address.clear} />}
      {found.hasMore && <More onMore={found.loadMore} shown={found.runs.length} />}
      <p className={styles.foot} aria-hidden="true">
        <span>
          <kbd>J</kbd>
          <kbd>K</kbd> move
        </span>
        <span>
          <kbd>↵</kbd> open
        </span>
        <span>
          <kbd>X</kbd> select
        </span>
        <span>
          <kbd>C</kbd> compare selected
        </span>
        <span>
          <kbd>?</kbd> all keys
        </span>
      </p>
    </main>
  );
}

function Nothing({ list, onClear }: { list: ReturnType<typeof useRunList>; onClear: () => void }) {
  if (list.state === "loading") return <Loading />;
  if (list.state === "ready" && list.hasMore) return null;
  return (
    <div className={styles.nothing}>
      <p>{list.state === "failed" ? `The runs could not be read. ${list.problem}` : "No run matches the filter."}</p>
      {list.state === "ready" && (
        <button type="button" className="btn" onClick={onClear}>
          Clear the filter
        </button>
      )}
    </div>
  );
}

/** Reads the next page when it comes near the screen. It is a button for those who do not scroll. */
function More({ onMore, shown }: { onMore: () => void; shown: number }) {
  const button = useRef<HTMLButtonElement>(null);
  const latest = useRef(onMore);
  useLayoutEffect(() => {
    latest.current = onMore;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: After a page was added, the button may still be near: it is observed anew
  useEffect(() => {
    const element = button.current;
    if (!element) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && latest.current(), {
      rootMargin: "600px",
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [shown]);
  return (
    <div className={styles.moreLine}>
      <button ref={button} type="button" className="btn quiet" onClick={onMore}>
        Show more
      </button>
    </div>
  );
}
