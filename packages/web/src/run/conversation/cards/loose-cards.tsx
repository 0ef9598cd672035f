import type { FileView, ShellView, SubagentView } from "@spoor/protocol";
import { Counts, sumCounts } from "../../../ui/counts.tsx";
import { money, stepTime } from "../../../ui/format.ts";
import type { ToolResult } from "../words/tool-result.ts";
import { CardFrame } from "./card-frame.tsx";
import styles from "./cards.module.css";
import { FileChange } from "./lazy-file-change.tsx";
import { ShellOutput } from "./shell-output.tsx";
import { SubagentReport } from "./subagent-report.tsx";

/** Cards of what was done without a call that the log knows. */

export function ShellCard({ shell, sequence, id }: { shell: ShellView; sequence: number; id: string }) {
  const isBad = shell.exitCode !== undefined && shell.exitCode !== 0;
  const time = shell.durationMs === undefined ? "" : stepTime(shell.durationMs);
  const result: ToolResult = shell.running
    ? { icon: "working", tone: "working", words: "runs" }
    : isBad
      ? { tone: "bad", words: [`exit ${shell.exitCode}`, time].filter(Boolean).join(" · ") }
      : { icon: "tick", tone: "ok", words: time };
  return (
    <CardFrame
      id={id}
      opensItself={shell.running || isBad}
      icon="terminal"
      verb="Run"
      target={shell.command}
      result={result}
    >
      <div className={styles.body}>
        <ShellOutput shell={shell} place={{ sequence }} />
      </div>
    </CardFrame>
  );
}

export function FileCard({ file, id }: { file: FileView; id: string }) {
  const verb = { create: "Create", edit: "Edit", write: "Write", append: "Append to", delete: "Delete" }[
    file.operation
  ];
  const tone = file.status === "conflict" ? "bad" : file.status === "proposed" ? "quiet" : "ok";
  const result: ToolResult = { tone, words: file.status, ...(tone === "ok" && { icon: "tick" }) };
  return (
    <CardFrame
      id={id}
      opensItself={file.operation === "edit"}
      icon={file.operation === "create" ? "fileNew" : "edit"}
      verb={verb}
      target={file.path}
      result={result}
      extra={<Counts {...sumCounts([file])} className={styles.counts} />}
    >
      <div className={styles.body}>
        <FileChange file={file} />
      </div>
    </CardFrame>
  );
}

export function SubagentCard({ subagent, id }: { subagent: SubagentView; id: string }) {
  const ms = Date.parse(subagent.endedAt ?? "") - Date.parse(subagent.startedAt ?? "");
  const facts = [ms >= 0 ? stepTime(ms) : "", subagent.usage.micros === undefined ? "" : money(subagent.usage.micros)];
  const words = facts.filter(Boolean).join(" · ");
  const result: ToolResult =
    subagent.status === "running"
      ? { icon: "working", tone: "working", words: "works" }
      : subagent.status === "completed"
        ? { icon: "tick", tone: "ok", words }
        : { tone: subagent.status === "failed" ? "bad" : "quiet", words: subagent.status };
  return (
    <CardFrame
      id={id}
      opensItself
      icon="child"
      verb={subagent.name}
      target={subagent.prompt ?? ""}
      result={result}
      extra={<span className="tag">subagent</span>}
    >
      <div className={styles.body}>
        <SubagentReport subagent={subagent} />
      </div>
    </CardFrame>
  );
}
