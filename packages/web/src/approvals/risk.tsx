import type { ApprovalView } from "@spoor/protocol";

/** How risky the action is, as the agent's adapter or the runtime judges it. */
export function Risk({ level, isShort = false }: { level: ApprovalView["riskLevel"]; isShort?: boolean }) {
  if (level === undefined) return null;
  return <span className={`tag ${level}`}>{isShort ? level : `${level} risk`}</span>;
}
