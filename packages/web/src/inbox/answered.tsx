import type { ApprovalRecord } from "@spoor/protocol/client";
import { Link } from "wouter";
import { outcomes } from "../approvals/decided-line.tsx";
import { lineOf } from "../approvals/exact-action.ts";
import { fromRecord } from "../approvals/from-record.ts";
import { isMine } from "../approvals/use-answer.ts";
import { whoAnswered } from "../approvals/who-answered.ts";
import { routes } from "../routes.ts";
import { visibleLine } from "../text/visible.ts";
import { clockTime } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { useNow } from "../ui/use-now.ts";
import styles from "./answered.module.css";
import { answeredToday } from "./items.ts";

/** What was decided today, and by whom. */
export function Answered({ answered }: { answered: readonly ApprovalRecord[] }) {
  const now = useNow(60_000);
  const today = answeredToday(answered, now);
  if (today.length === 0) return null;
  return (
    <section className={styles.past}>
      <h2>Answered today</h2>
      <ul className="num">
        {today.slice(0, MOST).map((record) => (
          <li key={record.approval_id}>
            <Line record={record} />
          </li>
        ))}
      </ul>
      {today.length > MOST && <p className="dim">and {today.length - MOST} more</p>}
    </section>
  );
}

const MOST = 30;

function Line({ record }: { record: ApprovalRecord }) {
  const approval = fromRecord(record);
  const { icon, tone, word } = outcomes[approval.status];
  return (
    <Link href={routes.approvals(approval.id)} className={styles.line}>
      <Icon name={icon} small className={styles[tone] ?? ""} />
      <span className="heard">{word}: </span>
      <span className="mono cut">{visibleLine(lineOf(approval))}</span>
      <span className={styles.who}>
        {whoAnswered(approval, isMine(approval.id))}, {clockTime(approval.decidedAt ?? "").slice(0, 5)}
      </span>
    </Link>
  );
}
