import { useState } from "react";
import { DecidedLine } from "../../../approvals/decided-line.tsx";
import { joined } from "../../../ui/joined.ts";
import type { ToolCardItem } from "../row-types.ts";
import styles from "./cards.module.css";
import { FileChange } from "./lazy-file-change.tsx";
import { ShellOutput } from "./shell-output.tsx";
import { SubagentReport } from "./subagent-report.tsx";
import { ToolError, ToolJson, ToolValues } from "./tool-values.tsx";

/** What the card of a call shows when it is open: its own parts, or its input and output. The JSON is behind a switch. */
export function ToolBody({ card }: { card: ToolCardItem }) {
  const { tool, shells, files, approvals, subagent } = card;
  const [isRaw, setRaw] = useState(false);
  const decided = approvals.filter(({ status }) => status !== "pending");
  const own = shells.length + files.length + (subagent ? 1 : 0);
  const json = (
    <button type="button" className="btn quiet small" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
      JSON
    </button>
  );
  // The switch stands in the last foot of the card.
  const lastIs = subagent ? "subagent" : files.length > 0 ? "file" : "shell";
  return (
    <div className={styles.body}>
      {decided.map((approval) => (
        <div key={approval.id} className={styles.pad}>
          <DecidedLine approval={approval} />
        </div>
      ))}
      {joined(shells, (shell, at) => (
        <ShellOutput shell={shell} place={{ sequence: card.sequence, index: at }}>
          {lastIs === "shell" && at === shells.length - 1 && json}
        </ShellOutput>
      ))}
      {joined(files, (file, at) => (
        <FileChange file={file}>{lastIs === "file" && at === files.length - 1 && json}</FileChange>
      ))}
      {subagent && <SubagentReport subagent={subagent}>{json}</SubagentReport>}
      {own === 0 && !isRaw && <ToolValues tool={tool}>{json}</ToolValues>}
      {own > 0 && tool.kind !== "shell" && tool.error && !isRaw && <ToolError text={tool.error} />}
      {isRaw && <ToolJson tool={tool}>{own === 0 && json}</ToolJson>}
    </div>
  );
}
