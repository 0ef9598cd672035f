import type { ArtifactRecord } from "@spoor/protocol/client";
import { client } from "../../live/client.ts";

const PAGE = 200;

/** All stored patches of a run, the oldest first. */
export async function allPatches(run_id: string, signal?: AbortSignal): Promise<ArtifactRecord[]> {
  const found: ArtifactRecord[] = [];
  for (let before: string | undefined, more = true; more; ) {
    const query = { run_id, kind: "patch", limit: PAGE, ...(before && { before }) } as const;
    const page = await client.artifacts.list(query, signal && { signal });
    found.push(...page.data);
    before = page.next_before ?? undefined;
    more = page.has_more && before !== undefined;
  }
  return found.reverse();
}
