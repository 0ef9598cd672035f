import type { FileStatus } from "@spoor/protocol";
import { Icon, type IconName } from "../../ui/icon.tsx";

/** The status of a change: icon, word and colour. */
export const statuses: Readonly<
  Record<FileStatus | "partial" | "sending", { word: string; icon: IconName; tone: string }>
> = {
  proposed: { word: "Proposed", icon: "needs", tone: "needs" },
  applied: { word: "Applied", icon: "tick", tone: "done" },
  partial: { word: "Partly applied", icon: "tick", tone: "done" },
  reverted: { word: "Reverted", icon: "undo", tone: "" },
  rejected: { word: "Rejected", icon: "cross", tone: "" },
  conflict: { word: "Conflict", icon: "failed", tone: "failed" },
  sending: { word: "Sending", icon: "working", tone: "working" },
};

export function StatusChip({ status }: { status: keyof typeof statuses }) {
  const { word, icon, tone } = statuses[status];
  return (
    <span className={`chip ${tone}`}>
      <Icon name={icon} small />
      {word}
    </span>
  );
}
