import type { ApprovalView } from "@spoor/protocol";
import { useRef } from "react";
import { Link } from "wouter";
import { ActionBlock } from "../approvals/action-block.tsx";
import { AnswerBar } from "../approvals/answer-bar.tsx";
import { Deadline, otherwiseText } from "../approvals/deadline.tsx";
import { DecidedLine } from "../approvals/decided-line.tsx";
import { approvalWords, exactAction } from "../approvals/exact-action.ts";
import { Risk } from "../approvals/risk.tsx";
import { useWholeAction } from "../approvals/use-whole-action.ts";
import { useRun } from "../live/use-run.ts";
import { routes } from "../routes.ts";
import { Folder } from "../text/folder.tsx";
import { visibleLine } from "../text/visible.ts";
import { VisibleText } from "../text/visible-text.tsx";
import { AgentTile } from "../ui/agent-tile.tsx";
import { askedIn } from "../ui/asked.ts";
import { shortId } from "../ui/format.ts";
import styles from "./detail.module.css";
import type { InboxItem } from "./items.ts";
import { LedHere } from "./led-here.tsx";

/** Everything that a person needs to decide. */
export function Detail({ item }: { item: InboxItem }) {
  const { record, view } = useRun(item.runId);
  const run = record ?? item.run;
  return (
    <div className={styles.detail}>
      <div className={styles.who}>
        <AgentTile agent={run?.agent ?? "?"} />
        <span className="cut">
          <b>{run?.agent}</b> · {visibleLine(run?.title ?? shortId(item.runId))}
        </span>
        <span className="push" />
        <Link className="btn quiet small" href={routes.run(item.runId)}>
          Open run <kbd>O</kbd>
        </Link>
      </div>
      {item.kind === "approval" ? (
        <Asked key={item.id} item={item} />
      ) : (
        <Question
          text={view.questions.find(({ status }) => status === "pending")?.question ?? askedIn(item.run.now)}
          item={item}
        />
      )}
      <LedHere view={view} runId={item.runId} approvalId={item.kind === "approval" ? item.id : ""} />
    </div>
  );
}

function Asked({ item: { approval, runId } }: { item: Extract<InboxItem, { kind: "approval" }> }) {
  const card = useRef<HTMLDivElement>(null);
  const whole = useWholeAction(approval, runId);
  const isOpen = approval.status === "pending";
  return (
    <div ref={card}>
      <h2>
        {approvalWords(approval).question} <Risk level={approval.riskLevel} />
      </h2>
      <Lead approval={approval} />
      <div className={styles.action}>
        <ActionBlock action={exactAction(whole.approval)} />
      </div>
      <Facts approval={approval} />
      {isOpen || <DecidedLine approval={approval} />}
      <div className={styles.answer}>
        <AnswerBar approval={approval} whole={whole.state} card={card} takesKeys>
          <Deadline approval={approval} />
        </AnswerBar>
      </div>
    </div>
  );
}

/** Why it is asked, unless the rule below says the same. */
function Lead({ approval: { policyReason = "", rule } }: { approval: ApprovalView }) {
  const isSaid = rule !== undefined && policyReason.includes(rule);
  return <p className={styles.lead}>{!isSaid && <VisibleText text={policyReason} />}</p>;
}

function Facts({ approval }: { approval: ApprovalView }) {
  const facts = [
    { name: "Asked by rule", text: approval.rule, form: styles.code },
    { name: "Call", text: approval.toolCallId, form: "mono" },
    { name: "Without answer", text: approval.status === "pending" ? otherwiseText(approval) : undefined, form: "" },
  ];
  return (
    <dl className={styles.facts}>
      {approval.cwd !== undefined && (
        <div>
          <dt>Folder</dt>
          <dd>
            <Folder path={approval.cwd} />
          </dd>
        </div>
      )}
      {facts.map(
        ({ name, text, form }) =>
          text !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <span className={form}>
                  <VisibleText text={text} />
                </span>
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** A question is answered on the page of its run, where its choices and all that was said before stand. */
function Question({ text = "A question", item }: { text: string | undefined; item: InboxItem }) {
  return (
    <div>
      <h2>
        It asks you something <span className="tag">question</span>
      </h2>
      <p className={styles.question}>
        <VisibleText text={text} />
      </p>
      <p className={styles.answer}>
        <Link className="btn primary" href={routes.run(item.runId)}>
          Answer in the run <kbd>O</kbd>
        </Link>
      </p>
    </div>
  );
}
