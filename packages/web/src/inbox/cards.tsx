import type { ApprovalView } from "@spoor/protocol";
import { useRef } from "react";
import { Link } from "wouter";
import { ActionBlock } from "../approvals/action-block.tsx";
import { AnswerBar } from "../approvals/answer-bar.tsx";
import { Deadline } from "../approvals/deadline.tsx";
import { approvalWords, exactAction } from "../approvals/exact-action.ts";
import { Risk } from "../approvals/risk.tsx";
import { useWholeAction } from "../approvals/use-whole-action.ts";
import { routes } from "../routes.ts";
import { Folder } from "../text/folder.tsx";
import { visibleLine } from "../text/visible.ts";
import { VisibleText } from "../text/visible-text.tsx";
import { AgentTile } from "../ui/agent-tile.tsx";
import { askedIn } from "../ui/asked.ts";
import { shortId } from "../ui/format.ts";
import styles from "./cards.module.css";
import type { InboxItem } from "./items.ts";

/** On a phone each thing that waits is a card with everything on it. */
export function Cards({ items }: { items: readonly InboxItem[] }) {
  return (
    <ul aria-label="Waiting for an answer">
      {items.map((item) => (
        <li key={item.id}>
          {item.kind === "approval" ? <ApprovalPhoneCard item={item} /> : <QuestionPhoneCard item={item} />}
        </li>
      ))}
    </ul>
  );
}

function ApprovalPhoneCard({ item }: { item: Extract<InboxItem, { kind: "approval" }> }) {
  const { approval, runId } = item;
  const card = useRef<HTMLElement>(null);
  const whole = useWholeAction(approval, runId);
  return (
    <article className={`card ${styles.card}`} ref={card}>
      <Header item={item}>
        <Deadline approval={approval} />
      </Header>
      <h2>
        {approvalWords(approval).short} <Risk level={approval.riskLevel} />
      </h2>
      <ActionBlock action={exactAction(whole.approval)} />
      <Meta approval={approval} />
      <AnswerBar approval={approval} whole={whole.state} card={card} takesKeys={false} />
    </article>
  );
}

function Meta({ approval: { cwd, rule } }: { approval: ApprovalView }) {
  if (cwd === undefined && rule === undefined) return <p className={styles.meta} />;
  return (
    <p className={styles.meta}>
      {cwd !== undefined && (
        <>
          in <Folder path={cwd} />
        </>
      )}
      {cwd !== undefined && rule !== undefined && " · "}
      {rule !== undefined && (
        <>
          rule{" "}
          <code>
            <VisibleText text={rule} />
          </code>
        </>
      )}
    </p>
  );
}

function QuestionPhoneCard({ item }: { item: Extract<InboxItem, { kind: "question" }> }) {
  return (
    <article className={`card ${styles.card}`}>
      <Header item={item}>
        <span className="dim">no deadline</span>
      </Header>
      <h2>
        It asks you something <span className="tag">question</span>
      </h2>
      <p className={styles.question}>
        <VisibleText text={askedIn(item.run.now) ?? ""} />
      </p>
      <Link className={`btn primary ${styles.wide}`} href={routes.run(item.runId)}>
        Answer in the run
      </Link>
    </article>
  );
}

function Header({ item, children }: { item: InboxItem; children: React.ReactNode }) {
  return (
    <header>
      <AgentTile agent={item.run?.agent ?? "?"} />
      <Link className="cut" href={routes.run(item.runId)}>
        {visibleLine(item.run?.title ?? shortId(item.runId))}
      </Link>
      <span className="push num">{children}</span>
    </header>
  );
}
