import { type ReactNode, useEffect, useRef, useState } from "react";
import type { RunSnapshot } from "../../live/run-snapshot.ts";
import type { ActionFacts } from "../actions/availability.ts";
import styles from "./dock.module.css";
import { FollowUp } from "./follow-up.tsx";
import { WaitingDock } from "./waiting-dock.tsx";
import type { WaitingRow } from "./waiting-row.ts";

interface DockProps {
  runId: string;
  snapshot: RunSnapshot;
  facts: ActionFacts;
  /** What waits while its card is not in view. */
  waiting: readonly WaitingRow[];
  onShow: (key: string) => void;
  /** The pill above it. */
  children: ReactNode;
}

/**
 * The bar at the bottom: the field for a follow-up, or what waits for an answer while its card is not in view. Whoever writes
 * keeps the field, with what waits above it: a letter that was meant for the field must not answer anything.
 */
export function Dock({ runId, snapshot, facts, waiting, onShow, children }: DockProps) {
  const [first] = waiting;
  const { box, isWriting, ...handlers } = useIsWriting(first !== undefined);
  return (
    <div className={styles.composer}>
      <div className={styles.inner}>
        {children}
        {first && <WaitingDock row={first} all={waiting.length} onShow={() => onShow(first.key)} />}
        <div ref={box} className={first && !isWriting ? "heard" : undefined} {...handlers}>
          <FollowUp runId={runId} snapshot={snapshot} facts={facts} />
        </div>
      </div>
    </div>
  );
}

/** Whether the focus is in the box. While something waits it stays true, so that no button moves when it is pressed. */
function useIsWriting(somethingWaits: boolean) {
  const box = useRef<HTMLDivElement>(null);
  const [isWriting, set] = useState(false);
  useEffect(() => {
    if (!somethingWaits) set(box.current?.contains(document.activeElement) === true);
  }, [somethingWaits]);
  return { box, isWriting, onFocus: () => set(true), onBlur: () => somethingWaits || set(false) };
}
