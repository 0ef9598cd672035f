import type { ApprovalView } from "@spoor/protocol";
import { visibleLine } from "../text/visible.ts";
import { VisibleText } from "../text/visible-text.tsx";
import { clockTime } from "../ui/format.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import styles from "./decided-line.module.css";
import { lineOf } from "./exact-action.ts";
import { isMine, useAnswer } from "./use-answer.ts";
import { byWhom } from "./who-answered.ts";

/** One line for an approval that was decided: what, how, by whom and when. */
export function DecidedLine({ approval }: { approval: ApprovalView }) {
  const { answer } = useAnswer(approval);
  const { status, decidedAt, comment } = approval;
  const { icon, tone, word } = outcomes[status];
  return (
    <p className={styles.line}>
      <Icon name={icon} small className={styles[tone] ?? ""} />
      <b>{word}</b>
      <code className="cut">{visibleLine(lineOf(approval))}</code>
      {comment && status === "rejected" && (
        <span className={`cut ${styles.comment}`}>
          “<VisibleText text={comment} />”
        </span>
      )}
      <span className={`${styles.who} num`}>
        {byWhom(approval, isMine(approval.id))}
        {decidedAt && `, ${clockTime(decidedAt)}`}
      </span>
      {answer?.phase === "beaten" && (
        <span className={styles.told} role="status">
          <VisibleText text={answer.told ?? ""} />
        </span>
      )}
    </p>
  );
}

/** The icon, tone and word of each way in which an approval ends. */
export const outcomes: Readonly<Record<ApprovalView["status"], { icon: IconName; tone: string; word: string }>> = {
  pending: { icon: "needs", tone: "late", word: "Waits" },
  approved: { icon: "tick", tone: "yes", word: "Approved" },
  rejected: { icon: "cross", tone: "no", word: "Denied" },
  cancelled: { icon: "minus", tone: "gone", word: "Withdrawn" },
  timed_out: { icon: "clock", tone: "late", word: "Denied" },
};
