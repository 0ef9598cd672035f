import type { ApprovalView } from "@spoor/protocol";
import { useRef } from "react";
import { Folder } from "../text/folder.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import { Icon } from "../ui/icon.tsx";
import { ActionBlock } from "./action-block.tsx";
import { AnswerBar } from "./answer-bar.tsx";
import styles from "./approval-card.module.css";
import { Otherwise } from "./deadline.tsx";
import { DecidedLine } from "./decided-line.tsx";
import { approvalWords, exactAction } from "./exact-action.ts";
import { Risk } from "./risk.tsx";
import { useWholeAction } from "./use-whole-action.ts";

interface ApprovalCardProps {
  approval: ApprovalView;
  runId: string;
  /** Whether A, D and ⇧D are for this card. Where several wait, one of them takes the keys. */
  takesKeys?: boolean;
}

/** A question about an action, with everything that is needed to answer it. Once it is decided, one line is left. */
export function ApprovalCard({ approval, runId, takesKeys = true }: ApprovalCardProps) {
  if (approval.status !== "pending") return <DecidedLine approval={approval} />;
  return <OpenCard approval={approval} runId={runId} takesKeys={takesKeys} />;
}

function OpenCard({ approval, runId, takesKeys }: Required<ApprovalCardProps>) {
  const card = useRef<HTMLElement>(null);
  const whole = useWholeAction(approval, runId);
  return (
    <section className={styles.card} ref={card} aria-label="Approval">
      <header>
        <Icon name="needs" />
        <b>{approvalWords(approval).question}</b>
        <Risk level={approval.riskLevel} />
        <span className={styles.left}>
          <Otherwise approval={approval} />
        </span>
      </header>
      <ActionBlock action={exactAction(whole.approval)} />
      <dl className={styles.facts}>
        {approval.cwd !== undefined && (
          <div>
            <dt>In</dt>
            <dd>
              <Folder path={approval.cwd} />
            </dd>
          </div>
        )}
        <Reason approval={approval} />
      </dl>
      <AnswerBar approval={approval} whole={whole.state} card={card} takesKeys={takesKeys} />
    </section>
  );
}

function Reason({ approval: { rule, policyReason } }: { approval: ApprovalView }) {
  if (rule === undefined && policyReason === undefined) return null;
  return (
    <div>
      <dt>Asked because</dt>
      <dd>
        {rule === undefined ? (
          <VisibleText text={policyReason ?? ""} />
        ) : (
          <>
            rule{" "}
            <code>
              <VisibleText text={rule} />
            </code>
          </>
        )}
      </dd>
    </div>
  );
}
