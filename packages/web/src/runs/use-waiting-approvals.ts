import type { ApprovalRecord } from "@spoor/protocol/client";
import { useEffect, useState } from "react";
import { allPending } from "../approvals/all-pending.ts";
import { useWaiting } from "../live/use-waiting.ts";

/** The approval with the nearest deadline of every run that waits for one. */
export function useWaitingApprovals(): ReadonlyMap<string, ApprovalRecord> {
  const { runs } = useWaiting();
  const key = runs.map(({ run_id, pending, updated_at }) => `${run_id} ${pending} ${updated_at}`).join();
  const [approvals, set] = useState<ReadonlyMap<string, ApprovalRecord>>(new Map());
  useEffect(() => {
    if (key === "") {
      set(new Map());
      return;
    }
    const end = new AbortController();
    allPending(end.signal)
      .then((pending) => set(nearest(pending)))
      .catch(() => {});
    return () => end.abort();
  }, [key]);
  return approvals;
}

export function nearest(approvals: readonly ApprovalRecord[]): Map<string, ApprovalRecord> {
  const byRun = new Map<string, ApprovalRecord>();
  for (const approval of approvals) {
    const known = byRun.get(approval.run_id);
    if (!known || (approval.expires_at ?? "~") < (known.expires_at ?? "~")) byRun.set(approval.run_id, approval);
  }
  return byRun;
}
