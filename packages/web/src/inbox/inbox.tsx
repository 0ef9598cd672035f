import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import type { ApprovalsSnapshot } from "../approvals/approvals-store.ts";
import { DecidedLine } from "../approvals/decided-line.tsx";
import { fromRecord } from "../approvals/from-record.ts";
import { isMine, wasBeaten } from "../approvals/use-answer.ts";
import { readApprovalsAgain, useApprovals } from "../approvals/use-approvals.ts";
import { WaitingCount } from "../frame/bar.tsx";
import { routes } from "../routes.ts";
import { Icon } from "../ui/icon.tsx";
import { useKeys } from "../ui/keys.ts";
import { Loading } from "../ui/loading.tsx";
import { usePageTitle } from "../ui/page-title.ts";
import { useIsPhone } from "../ui/use-media.ts";
import { Answered } from "./answered.tsx";
import { Cards } from "./cards.tsx";
import { Detail } from "./detail.tsx";
import styles from "./inbox.module.css";
import { type InboxItem, inboxItems, nextAfter } from "./items.ts";
import { List } from "./list.tsx";
import { useSelected } from "./use-selected.ts";

/** Everything that waits for a person, in all runs. There is no way to approve all at once. */
export default function Inbox({ selected }: { selected?: string | undefined }) {
  usePageTitle("Approvals");
  const snapshot = useApprovals();
  const isPhone = useIsPhone();
  if (snapshot.state === "loading") return <Loading />;
  if (snapshot.state === "failed") return <Failed />;
  const items = inboxItems(snapshot);
  return isPhone ? (
    <Phone snapshot={snapshot} items={items} />
  ) : (
    <Wide snapshot={snapshot} items={items} wanted={selected} />
  );
}

interface Parts {
  snapshot: ApprovalsSnapshot;
  items: readonly InboxItem[];
}

function Wide({ snapshot, items, wanted }: Parts & { wanted: string | undefined }) {
  const { item, isMissing } = useSelected(snapshot, items, wanted);
  const [, navigate] = useLocation();
  const select = (next: InboxItem | undefined) => next && navigate(routes.approvals(next.id), { replace: true });
  const place = items.findIndex(({ id }) => id === item?.id);
  const step = (by: number) => () =>
    select(items[place === -1 ? 0 : Math.min(items.length - 1, Math.max(0, place + by))]);
  useKeys({
    ...{ j: step(1), k: step(-1), arrowdown: step(1), arrowup: step(-1) },
    o: () => item && navigate(routes.run(item.runId)),
    enter: () => item && navigate(routes.run(item.runId)),
  });
  useMoveOn(items, item, select);
  // What is shown stays, even if somebody else answers it or something more urgent comes.
  const first = wanted === undefined ? item?.id : undefined;
  useEffect(() => {
    if (first !== undefined) navigate(routes.approvals(first), { replace: true });
  }, [first, navigate]);
  if (items.length === 0 && item === undefined && !isMissing)
    return (
      <main id="main" className="page">
        <Head count={0} />
        <Empty />
        <Answered answered={snapshot.answered} />
      </main>
    );
  return (
    <main id="main" className={styles.inbox}>
      <section className={styles.list} aria-label="Waiting">
        <Head count={items.length} hasKeys />
        <List items={items} selected={item?.id} onSelect={select} />
        {items.length === 0 && <p className={styles.none}>Nothing waits for you.</p>}
        <Answered answered={snapshot.answered} />
      </section>
      <section className={styles.detail} aria-label="What is asked">
        {isMissing ? <Missing id={wanted ?? ""} /> : item && <Detail item={item} />}
      </section>
    </main>
  );
}

function Phone({ snapshot, items }: Parts) {
  // A card goes away when it is answered. Whoever pressed a button too late must still learn what happened.
  const beaten = snapshot.answered.filter(({ approval_id }) => wasBeaten(approval_id));
  return (
    <main id="main" className="page">
      <Head count={items.length} />
      {beaten.map((record) => (
        <div key={record.approval_id} className={`card ${styles.beaten}`}>
          <DecidedLine approval={fromRecord(record)} />
        </div>
      ))}
      {items.length === 0 ? <Empty /> : <Cards items={items} />}
      <Answered answered={snapshot.answered} />
    </main>
  );
}

/** After an answer of this tab the next one is selected. What somebody else answered stays, so that the reader learns of it. */
function useMoveOn(
  items: readonly InboxItem[],
  item: InboxItem | undefined,
  select: (next: InboxItem | undefined) => void,
): void {
  const before = useRef({ items, open: "" });
  useEffect(() => {
    const { items: earlier, open } = before.current;
    const isAnswered = open !== "" && item?.id === open && !items.some(({ id }) => id === open);
    if (isAnswered && isMine(open)) select(nextAfter(earlier, open, items));
    else before.current = { items, open: items.some(({ id }) => id === item?.id) ? (item?.id ?? "") : open };
  });
}

function Head({ count, hasKeys = false }: { count: number; hasKeys?: boolean }) {
  return (
    <div className="page-head">
      <h1>Approvals</h1>
      <WaitingCount count={count} />
      <span className="push" />
      {hasKeys && (
        <span className="dim">
          <kbd>J</kbd> <kbd>K</kbd>
        </span>
      )}
    </div>
  );
}

function Empty() {
  return (
    <div className={styles.empty}>
      <Icon name="done" />
      <h2>Nothing waits for you</h2>
      <p>
        When an agent asks before it runs a command or changes a file, it is asked here, with everything you need to
        decide.
      </p>
    </div>
  );
}

/** Nobody knows what waits, so the page must not say that nothing does. */
function Failed() {
  return (
    <main id="main" className="page">
      <Head count={0} />
      <div className={styles.empty}>
        <Icon name="failed" />
        <h2>What waits could not be read</h2>
        <p>The server did not answer. Runs may wait for you nevertheless.</p>
        <button type="button" className="btn" onClick={readApprovalsAgain}>
          Try again
        </button>
      </div>
    </main>
  );
}

function Missing({ id }: { id: string }) {
  return (
    <div className={styles.empty}>
      <Icon name="question" />
      <h2>There is no approval {id.slice(0, 40)}</h2>
      <p>It may have been pruned together with its run.</p>
    </div>
  );
}
