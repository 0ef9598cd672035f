import { useSyncExternalStore } from "react";
import { client } from "../../live/client.ts";
import { once } from "../../live/once.ts";
import type { Change } from "./changed-files.ts";
import { createPatchRequests, type PatchRequest, type Verb } from "./patch-requests.ts";

/** What a person asks to do with changes of one file. */
export interface Wish {
  readonly verb: Verb;
  readonly runId: string;
  readonly path: string;
  readonly changes: readonly Change[];
  /** Only this hunk of the one change. */
  readonly hunk?: number | undefined;
  /** For the agent, when it is rejected. */
  readonly word?: string | undefined;
  /** Whether the agent can still be told something. */
  readonly isLive?: boolean | undefined;
}

/** Carries a wish out. `settled` resolves when the new state is shown. */
export const carryOut = (wish: Wish, settled: () => Promise<void>): Promise<void> =>
  requests.ask(keyOf(wish), { verb: wish.verb, hunk: wish.hunk, send: () => send(wish), settled });

/** What this tab asked for about a file, and what became of it. */
export const useRequest = (file: Pick<Wish, "runId" | "path">): PatchRequest | undefined =>
  useSyncExternalStore(requests.subscribe, () => requests.read(keyOf(file)));

export const dismissRequest = (file: Pick<Wish, "runId" | "path">): void => requests.dismiss(keyOf(file));

const requests = createPatchRequests();

const keyOf = ({ runId, path }: Pick<Wish, "runId" | "path">): string => `${runId} ${path}`;

async function send(wish: Wish): Promise<void> {
  const { verb, changes, hunk, word } = wish;
  const reason = word?.trim() ? { reason: word.trim() } : {};
  for (const { approval } of changes) if (approval) await answer(wish, approval.id, approval.actionHash);
  const stored = changes.flatMap(({ patch, subagent, approval }) => (patch && !approval ? [{ patch, subagent }] : []));
  const [only] = stored;
  if (verb === "reject") {
    for (const { patch } of stored)
      await once(["reject", patch.id, reason], (call) => client.artifacts.reject(patch.id, reason, call));
    if (stored.length > 0) await tellAgent(wish);
  } else if (stored.length === 1 && only) {
    const isWhole = hunk === undefined || (only.patch.stats?.hunks ?? 1) <= 1;
    const body = { ...(isWhole ? {} : { hunks: [hunk] }), ...reason };
    await once([verb, only.patch.id, body], (call) => client.artifacts[verb](only.patch.id, body, call));
  } else {
    // All changes of one run or none. A subagent's run comes after its parent's, so it is reverted first.
    const runs = Map.groupBy(stored, ({ subagent }) => subagent?.runId ?? wish.runId);
    for (const [runId, own] of verb === "revert" ? [...runs].reverse() : runs) {
      const body = { artifact_ids: own.map(({ patch }) => patch.id), ...reason };
      await once([verb, runId, body], (call) => client.runs[verb](runId, body, call));
    }
  }
}

/** A change that waits for permission is decided by its approval. */
async function answer({ verb, word }: Wish, id: string, hash: string | undefined): Promise<void> {
  await client.approvals.resolve(id, {
    decision: verb === "apply" ? "approve" : "reject",
    ...(hash !== undefined && { action_hash: hash }),
    ...(word?.trim() && { comment: word.trim() }),
  });
}

/** The word of a rejection is stored with the patch. An agent that still works gets it as a message, too. */
async function tellAgent({ runId, path, word, isLive }: Wish): Promise<void> {
  if (!isLive || !word?.trim()) return;
  // Not every agent takes messages while it works. The change is rejected in any case.
  await client.runs.send(runId, { text: `I rejected your change of ${path}: ${word.trim()}` }).catch(() => {});
}
