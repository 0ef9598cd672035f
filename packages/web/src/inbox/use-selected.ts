import type { ApprovalRecord } from "@spoor/protocol/client";
import { useEffect, useState } from "react";
import type { ApprovalsSnapshot } from "../approvals/approvals-store.ts";
import { client } from "../live/client.ts";
import { untilAnswered } from "../live/until-answered.ts";
import { approvalItem, type InboxItem } from "./items.ts";

/** The item that the address names: one that waits, one that was answered, or one that only the server knows. Else the first. */
export function useSelected(
  { answered, runs, state }: ApprovalsSnapshot,
  items: readonly InboxItem[],
  wanted: string | undefined,
): { item: InboxItem | undefined; isMissing: boolean } {
  const waiting = items.find(({ id }) => id === wanted);
  const past = answered.find(({ approval_id }) => approval_id === wanted);
  const isOld = state === "ready" && wanted !== undefined && !waiting && !past;
  const old = useOldApproval(isOld ? wanted : undefined);
  if (waiting) return { item: waiting, isMissing: false };
  const record = past ?? (old === "missing" ? undefined : old);
  if (record) return { item: approvalItem(record, runs.get(record.run_id)), isMissing: false };
  if (wanted === undefined) return { item: items[0], isMissing: false };
  return { item: undefined, isMissing: old === "missing" };
}

function useOldApproval(id: string | undefined): ApprovalRecord | "missing" | undefined {
  const [found, setFound] = useState<{ id: string; record: ApprovalRecord | "missing" }>();
  useEffect(() => {
    if (id === undefined) return;
    const end = new AbortController();
    untilAnswered(() => client.approvals.get(id, { signal: end.signal }), end.signal)
      .then((record) => setFound({ id, record }))
      .catch(() => !end.signal.aborted && setFound({ id, record: "missing" }));
    return () => end.abort();
  }, [id]);
  return found && found.id === id ? found.record : undefined;
}
