import { DecidedLine } from "../../approvals/decided-line.tsx";
import styles from "../../run/conversation/cards/cards.module.css";
import { FileChange } from "../../run/conversation/cards/lazy-file-change.tsx";
import { ShellOutput } from "../../run/conversation/cards/shell-output.tsx";
import { SubagentReport } from "../../run/conversation/cards/subagent-report.tsx";
import { ToolError, ToolValues } from "../../run/conversation/cards/tool-values.tsx";
import type { ToolCardItem } from "../../run/conversation/row-types.ts";
import { joined } from "../../ui/joined.ts";

/** What the card of a call shows: its own parts, or its input and output. */
export function ToolBody({ card }: { card: ToolCardItem }) {
  const { tool, shells, files, approvals, subagent } = card;
  const own = shells.length + files.length + (subagent ? 1 : 0);
  return (
    <div className={styles.body}>
      {approvals
        .filter(({ status }) => status !== "pending")
        .map((approval) => (
          <div key={approval.id} className={styles.pad}>
            <DecidedLine approval={approval} />
          </div>
        ))}
      {joined(shells, (shell) => (
        <ShellOutput shell={shell} place={{ sequence: card.sequence }} />
      ))}
      {joined(files, (file) => (
        <FileChange file={file} />
      ))}
      {subagent && <SubagentReport subagent={subagent} />}
      {own === 0 && <ToolValues tool={tool}>{null}</ToolValues>}
      {own > 0 && tool.kind !== "shell" && tool.error && <ToolError text={tool.error} />}
    </div>
  );
}
