import type { ApprovalView } from "@spoor/protocol";
import { visibleLine } from "../text/visible.ts";

type Decided = Pick<ApprovalView, "status" | "decidedBy">;

/** Who decided, in a few words: "you", "another tab", "ann in a terminal", "no answer in time". */
export function whoAnswered(approval: Decided, isMine: boolean): string {
  const { decidedBy = "" } = approval;
  const nobody = whyNobody(approval);
  if (nobody !== undefined) return nobody;
  if (isMine) return "you";
  const [door = "", user] = splitOnce(decidedBy);
  const place = doors[door];
  if (place) return user ? `${visibleLine(user)} ${place.of}` : place.alone;
  return decidedBy === "" ? "somebody else" : visibleLine(decidedBy);
}

/** The same behind a verb: "by you", but "no answer in time". */
export const byWhom = (approval: Decided, isMine: boolean): string =>
  whyNobody(approval) ?? `by ${whoAnswered(approval, isMine)}`;

/** Why nobody decided; undefined if somebody did. */
export function whyNobody({ status, decidedBy = "" }: Decided): string | undefined {
  if (status === "timed_out" || decidedBy === "deadline") return "no answer in time";
  // An agent that is stopped takes its question back. It decided nothing.
  return status === "cancelled" && ["", "agent"].includes(decidedBy) ? "no longer asked" : undefined;
}

/** What the loser of a race reads: "Already denied from another tab." */
export function alreadyAnswered(approval: Decided): string {
  if (approval.status === "timed_out") return "Nobody answered in time, so it was denied.";
  if (approval.status === "cancelled") return "Nothing waits for this answer any more.";
  if (approval.status === "pending") return "Somebody else answers it at this moment.";
  const by = whoAnswered(approval, false);
  const word = approval.status === "approved" ? "approved" : "denied";
  return `Already ${word} ${by === "another tab" ? "from another tab" : `by ${by}`}.`;
}

const doors: Readonly<Record<string, { alone: string; of: string }>> = {
  http: { alone: "another tab", of: "over HTTP" },
  cli: { alone: "a terminal", of: "in a terminal" },
  sdk: { alone: "a program", of: "in a program" },
  headless: { alone: "nobody at the terminal", of: "at a terminal" },
  rule: { alone: "rule", of: "by a rule" },
  policy: { alone: "rule", of: "by a rule" },
  agent: { alone: "the agent itself", of: "itself" },
};

function splitOnce(text: string): [string, string?] {
  const at = text.indexOf(":");
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
