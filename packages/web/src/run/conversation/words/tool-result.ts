import type { ApprovalView } from "@spoor/protocol";
import { byWhom } from "../../../approvals/who-answered.ts";
import { bytes, duration, money, stepTime } from "../../../ui/format.ts";
import type { IconName } from "../../../ui/icon.tsx";
import type { ToolCardItem } from "../row-types.ts";
import { resultCount } from "./tool-words.ts";

/** What a card says at its right end: how it went, how long it took. */
export interface ToolResult {
  readonly icon?: IconName;
  readonly tone: "ok" | "working" | "needs" | "bad" | "quiet";
  readonly words: string;
  /** How long it took and what it cost, always in grey. */
  readonly after?: string;
}

/** The state of a call in words. `now` is in epoch milliseconds; without it a call that runs tells no time. */
export function toolResult(
  card: ToolCardItem,
  now: number | undefined,
  isMine: (approvalId: string) => boolean,
): ToolResult {
  const { tool, files, shells, subagent } = card;
  const time = timeOf(card);
  switch (tool.state) {
    case "proposed":
      return { tone: "quiet", words: tool.inputText === undefined ? "" : bytes(tool.inputText.length) };
    case "waiting":
      return { icon: "needs", tone: "needs", words: "waits for you" };
    case "running": {
      const since = Date.parse(tool.startedAt ?? tool.proposedAt ?? "");
      return {
        icon: "working",
        tone: "working",
        words: now === undefined || Number.isNaN(since) ? "running" : duration(now - since),
      };
    }
    case "completed": {
      const exit = exitOf(shells);
      if (exit !== undefined) return { tone: "bad", words: exit, after: time };
      const status = [...new Set(files.map((file) => file.status))].join(", ");
      const cost = subagent?.usage.micros === undefined ? "" : money(subagent.usage.micros);
      return { icon: "tick", tone: "ok", words: status || resultCount(tool) || "", after: line(time, cost) };
    }
    case "failed":
      return { tone: "bad", words: exitOf(shells) ?? shortError(tool.error), after: time };
    case "timed_out":
      return { icon: "clock", tone: "bad", words: time ? `timed out at ${time}` : "timed out" };
    case "cancelled":
      return { icon: "minus", tone: "quiet", words: "cancelled" };
    case "blocked":
      return { icon: "minus", tone: "quiet", words: refusal(card.approvals.findLast(isRefused), isMine) };
  }
}

const line = (...parts: (string | undefined)[]): string => parts.filter(Boolean).join(" · ");

function timeOf({ tool, shells, subagent }: ToolCardItem): string {
  const own = tool.durationMs ?? shells[0]?.durationMs;
  const ms = own ?? Date.parse(tool.endedAt ?? "") - Date.parse(tool.startedAt ?? subagent?.startedAt ?? "");
  return ms >= 0 ? stepTime(ms) : "";
}

function exitOf(shells: ToolCardItem["shells"]): string | undefined {
  const shell = shells.findLast(({ exitCode, signal }) => (exitCode !== undefined && exitCode !== 0) || signal);
  if (!shell) return undefined;
  if (shell.signal) return `ended by ${shell.signal}`;
  // The agent did not tell the code.
  return shell.exitCode === -1 ? "failed" : `exit ${shell.exitCode}`;
}

const shortError = (error: string | undefined): string => {
  const first = error?.trim().split("\n", 1)[0] ?? "";
  return first.length > 60 ? `${first.slice(0, 59)}…` : first || "failed";
};

const isRefused = ({ status }: ApprovalView): boolean => status === "rejected" || status === "timed_out";

function refusal(approval: ApprovalView | undefined, isMine: (id: string) => boolean): string {
  if (!approval) return "refused by a rule";
  if (approval.status === "timed_out") return "refused: nobody answered";
  return `refused ${byWhom(approval, isMine(approval.id))}`;
}
