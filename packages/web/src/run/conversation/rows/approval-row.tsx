import { lazy, Suspense } from "react";
import { DecidedLine } from "../../../approvals/decided-line.tsx";
import { lineOf } from "../../../approvals/exact-action.ts";
import { useRunFacts } from "../../run-context.ts";
import type { RowProps } from "../row-types.ts";
import { PastWait } from "./past-wait.tsx";
import styles from "./rows.module.css";

/** The card with its table of diffs is a chunk of its own: most runs have nothing that waits. */
const ApprovalCard = lazy(async () => ({
  default: (await import("../../../approvals/approval-card.tsx")).ApprovalCard,
}));

/** An approval: a card while it waits, one line once it is decided. */
export function ApprovalRow({ row, takesKeys }: RowProps<"approval">) {
  const { runId, isPast } = useRunFacts();
  if (isPast && row.approval.status === "pending") return <PastWait>{lineOf(row.approval)}</PastWait>;
  if (row.approval.status !== "pending") return <DecidedLine approval={row.approval} />;
  return (
    <Suspense
      fallback={
        <div className={styles.ask} aria-busy="true">
          Loading the question…
        </div>
      }
    >
      <ApprovalCard approval={row.approval} runId={runId} takesKeys={takesKeys} />
    </Suspense>
  );
}
