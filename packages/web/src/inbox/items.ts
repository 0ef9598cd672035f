import type { ApprovalView } from "@spoor/protocol";
import type { ApprovalRecord, RunRecord } from "@spoor/protocol/client";
import type { ApprovalsSnapshot } from "../approvals/approvals-store.ts";
import { fromRecord } from "../approvals/from-record.ts";

/** Something that waits for a person: permission for an action, or the answer to a question. */
export type InboxItem =
  | {
      readonly kind: "approval";
      readonly id: string;
      readonly runId: string;
      readonly run: RunRecord | undefined;
      readonly approval: ApprovalView;
      readonly expiresAt?: string | undefined;
    }
  | {
      readonly kind: "question";
      readonly id: string;
      readonly runId: string;
      readonly run: RunRecord;
      readonly expiresAt?: undefined;
    };

/** What waits, the nearest deadline first. What has no deadline comes last, the oldest first. */
export function inboxItems({ pending, runs }: Pick<ApprovalsSnapshot, "pending" | "runs">): InboxItem[] {
  const approvals = pending.map((record) => approvalItem(record, runs.get(record.run_id)));
  const asking = Map.groupBy(pending, ({ run_id }) => run_id);
  const questions = [...runs.values()]
    .filter((run) => (run.pending ?? 0) > (asking.get(run.run_id)?.length ?? 0))
    .map((run): InboxItem => ({ kind: "question", id: run.run_id, runId: run.run_id, run }));
  return [...approvals, ...questions].sort(byDeadline);
}

/** An approval that waits or waited, as an item. */
export function approvalItem(record: ApprovalRecord, run: RunRecord | undefined): InboxItem {
  const { approval_id: id, run_id: runId, expires_at: expiresAt } = record;
  return { kind: "approval", id, runId, run, approval: fromRecord(record), expiresAt };
}

function byDeadline(a: InboxItem, b: InboxItem): number {
  return deadlineOf(a) - deadlineOf(b) || askedAt(a).localeCompare(askedAt(b)) || a.id.localeCompare(b.id);
}

/** Not infinity, because infinities have no difference. */
const NEVER = 8.64e15;

const deadlineOf = ({ expiresAt }: InboxItem): number => (expiresAt === undefined ? NEVER : Date.parse(expiresAt));

const askedAt = (item: InboxItem): string =>
  item.kind === "approval" ? (item.approval.requestedAt ?? "") : (item.run.last_activity ?? item.run.updated_at);

/** The approvals that were decided on the reader's day, the last first. */
export function answeredToday(answered: readonly ApprovalRecord[], now: number): ApprovalRecord[] {
  const today = new Date(now).setHours(0, 0, 0, 0);
  return answered.filter(({ resolved_at }) => resolved_at !== undefined && Date.parse(resolved_at) >= today);
}

/** The item to select after one was answered: the one that took its place, or else the last. */
export function nextAfter(before: readonly InboxItem[], id: string, now: readonly InboxItem[]): InboxItem | undefined {
  const place = before.findIndex((item) => item.id === id);
  const later = before.slice(place + 1).find((item) => now.some((other) => other.id === item.id));
  return now.find((item) => item.id === later?.id) ?? now.at(-1);
}
