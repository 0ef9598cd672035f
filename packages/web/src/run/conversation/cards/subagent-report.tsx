import type { SubagentView } from "@spoor/protocol";
import type { ReactNode } from "react";
import { Markdown } from "../../../text/markdown.tsx";
import { VisibleText } from "../../../text/visible-text.tsx";
import { count } from "../../../ui/format.ts";
import styles from "./cards.module.css";
import { ChildLink, ChildNow } from "./child-now.tsx";

/** What a subagent said last, and the way to its own run. */
export function SubagentReport({ subagent, children }: { subagent: SubagentView; children?: ReactNode }) {
  const { summary, error, usage, childRunId, status } = subagent;
  const facts = [
    status === "running" ? "works" : status,
    usage.inputTokens === undefined ? "" : `${count(usage.inputTokens)} in, ${count(usage.outputTokens ?? 0)} out`,
  ].filter(Boolean);
  return (
    <div className={styles.pad}>
      <div className={styles.nest}>
        {summary && <Markdown text={summary} />}
        {error && (
          <p className={styles.bad}>
            <VisibleText text={error} />
          </p>
        )}
        {status === "running" && childRunId && <ChildNow runId={childRunId} />}
        <div className={styles.nestFoot}>
          <span className="dim num">{facts.join(" · ")}</span>
          {children}
          {childRunId && <ChildLink runId={childRunId} />}
        </div>
      </div>
    </div>
  );
}
