import { countDiff } from "@spoor/protocol";
import { Link } from "wouter";
import { approvalWords, exactAction, lineOf } from "../approvals/exact-action.ts";
import { Risk } from "../approvals/risk.tsx";
import { useAnswer } from "../approvals/use-answer.ts";
import { routes } from "../routes.ts";
import { visibleLine } from "../text/visible.ts";
import { askedIn } from "../ui/asked.ts";
import { Counts } from "../ui/counts.tsx";
import { left, shortId } from "../ui/format.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { useNow } from "../ui/use-now.ts";
import type { InboxItem } from "./items.ts";
import styles from "./list.module.css";

interface ListProps {
  items: readonly InboxItem[];
  selected: string | undefined;
  onSelect: (item: InboxItem) => void;
}

/** What waits, one line for each. */
export function List({ items, selected, onSelect }: ListProps) {
  const now = useNow();
  return (
    <ul aria-label="Waiting for an answer">
      {items.map((item) => (
        <li key={item.id}>
          <Link
            href={routes.approvals(item.id)}
            replace
            className={`${styles.item} ${item.id === selected ? styles.on : ""}`}
            aria-current={item.id === selected ? "true" : undefined}
            onClick={() => onSelect(item)}
          >
            {item.kind === "approval" ? <ApprovalRow item={item} now={now} /> : <QuestionRow item={item} />}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function ApprovalRow({ item, now }: { item: Extract<InboxItem, { kind: "approval" }>; now: number }) {
  const { approval } = item;
  const { answer } = useAnswer(approval);
  const { diff = "" } = exactAction(approval);
  return (
    <Row
      icon={approvalWords(approval).icon}
      item={item}
      right={<Risk level={approval.riskLevel} isShort />}
      small={
        answer?.phase === "sending"
          ? "sending…"
          : item.expiresAt === undefined
            ? "no deadline"
            : left(item.expiresAt, now).replace(/ left$/, "")
      }
    >
      <b className="cut mono">
        {visibleLine(lineOf(approval))} <Counts {...countDiff(diff)} />
      </b>
    </Row>
  );
}

function QuestionRow({ item }: { item: Extract<InboxItem, { kind: "question" }> }) {
  return (
    <Row icon="question" item={item} right={<span className="tag">question</span>} small="no deadline">
      <b className="cut">{visibleLine(askedIn(item.run.now) ?? "A question")}</b>
    </Row>
  );
}

function Row({
  icon,
  item,
  right,
  small,
  children,
}: {
  icon: IconName;
  item: InboxItem;
  right: React.ReactNode;
  small: string;
  children: React.ReactNode;
}) {
  return (
    <>
      <span className={styles.icon}>
        <Icon name={icon} />
      </span>
      <span className={styles.text}>
        {children}
        <small className="cut">
          {item.run?.agent ?? "run"} · {visibleLine(item.run?.title ?? shortId(item.runId))}
        </small>
      </span>
      <span className={`${styles.right} num`}>
        {right}
        <small>{small}</small>
      </span>
    </>
  );
}
