import { useSyncExternalStore } from "react";
import { client } from "../live/client.ts";
import { allEvents } from "../live/live.ts";
import { allPending } from "./all-pending.ts";
import { type ApprovalsSnapshot, createApprovalsStore } from "./approvals-store.ts";

/** What waits for a person in all runs, kept up to date. Everybody who asks shares one store. */
export const useApprovals = (): ApprovalsSnapshot => useSyncExternalStore(store.subscribe, store.read);

/** Reads what waits again, after it could not be read. */
export const readApprovalsAgain = (): void => store.refresh();

/** Events after which something else may wait than before. */
const changing: ReadonlySet<string> = new Set([
  ...["approval.requested", "approval.resolved", "approval.timed_out", "input.requested", "user.message"],
  ...["run.finished", "run.failed", "run.cancelled", "run.paused", "run.unpaused", "gap.run_disconnected"],
]);

const store = createApprovalsStore({
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  pending: () => allPending(),
  recent: async () => (await client.approvals.list({ limit: 100 })).data,
  blocked: async () => (await client.runs.list({ state: "blocked", limit: 200 })).data,
  onChange: (changed) =>
    allEvents.listen({
      // What happened before the connection stood is in the rows.
      begun: changed,
      events: (envelopes) => envelopes.some(({ type }) => changing.has(type)) && changed(),
    }),
});
