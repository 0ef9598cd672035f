import type { RunScreenProps } from "../run-screen-props.ts";
import { ChangesPart } from "./changes-part.tsx";
import { CostPart } from "./cost-part.tsx";
import styles from "./panel.module.css";
import { TimePart } from "./time-part.tsx";
import { TodoPart } from "./todo-part.tsx";

/** The run at a glance: what is to do, what changed, where the time went, what it cost. */
export function Panel({ runId, snapshot }: RunScreenProps) {
  const { view } = snapshot;
  return (
    <aside className={styles.side} aria-label="The run now" data-above-trail>
      <TodoPart todos={view.todos} />
      <ChangesPart runId={runId} snapshot={snapshot} />
      <TimePart snapshot={snapshot} />
      <CostPart view={view} />
    </aside>
  );
}
