import { ActionBlock } from "../../approvals/action-block.tsx";
import styles from "../../approvals/approval-card.module.css";
import { DecidedLine } from "../../approvals/decided-line.tsx";
import { approvalWords, exactAction } from "../../approvals/exact-action.ts";
import { Risk } from "../../approvals/risk.tsx";
import type { RowOf } from "../../run/conversation/row-types.ts";
import { VisibleText } from "../../text/visible-text.tsx";
import { Icon } from "../../ui/icon.tsx";

/** An approval: the whole action while it waits, one line once it is decided. */
export function ApprovalRow({ row: { approval } }: { row: RowOf<"approval"> }) {
  if (approval.status !== "pending") return <DecidedLine approval={approval} />;
  return (
    <section className={styles.card} aria-label="Approval">
      <header>
        <Icon name="needs" />
        <b>{approvalWords(approval).question}</b>
        <Risk level={approval.riskLevel} />
      </header>
      <ActionBlock action={exactAction(approval)} />
      <dl className={styles.facts}>
        {approval.cwd !== undefined && (
          <div>
            <dt>In</dt>
            <dd className="mono">
              <VisibleText text={approval.cwd} />
            </dd>
          </div>
        )}
        <div>
          <dt>Answer</dt>
          <dd>Nobody had answered when this file was written.</dd>
        </div>
      </dl>
    </section>
  );
}
