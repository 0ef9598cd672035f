import type { ApprovalRecord } from "@spoor/protocol/client";
import { client } from "../live/client.ts";

/** Every approval that waits, whichever page of the list it is on. */
export async function allPending(signal?: AbortSignal): Promise<ApprovalRecord[]> {
  const found: ApprovalRecord[] = [];
  for (let before: string | undefined; ; ) {
    const query = { status: "pending", limit: 200, ...(before !== undefined && { before }) } as const;
    const { data, next_before } = await client.approvals.list(query, signal && { signal });
    found.push(...data);
    if (next_before === null) return found;
    before = next_before;
  }
}
