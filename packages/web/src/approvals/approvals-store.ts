import type { ApprovalRecord, RunRecord } from "@spoor/protocol/client";
import { TRY_AGAIN_MS } from "../live/until-answered.ts";
import { createCell, type Store } from "../ui/store.ts";

/** What waits for a person, in all runs, and what was answered lately. */
export interface ApprovalsSnapshot {
  readonly state: "loading" | "ready" | "failed";
  readonly pending: readonly ApprovalRecord[];
  /** The newest first. */
  readonly answered: readonly ApprovalRecord[];
  /** The runs that wait, by id. Some of them wait for an answer to a question. */
  readonly runs: ReadonlyMap<string, RunRecord>;
}

/** Where the store reads, and how it learns that something changed. */
interface ApprovalsSource {
  pending(): Promise<readonly ApprovalRecord[]>;
  recent(): Promise<readonly ApprovalRecord[]>;
  blocked(): Promise<readonly RunRecord[]>;
  /** Calls back whenever an event could have changed one of the lists. Returns the end of it. */
  onChange(changed: () => void): () => void;
  /** Calls back after a time. Returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void;
}

/**
 * Keeps what waits up to date while somebody looks. Events say that something changed; the rows are read again, because
 * they alone know which requests can be answered. Changes during a reading lead to one more reading, however many they are.
 */
export function createApprovalsStore(source: ApprovalsSource): Store<ApprovalsSnapshot> & { refresh(): void } {
  let isReading = false;
  let isStale = false;
  let isWatched = false;
  let cancelAgain = () => {};
  const cell = createCell<ApprovalsSnapshot>({ state: "loading", pending: [], answered: [], runs: new Map() }, () => {
    isWatched = true;
    const stop = source.onChange(() => void read());
    void read();
    return () => {
      isWatched = false;
      cancelAgain();
      stop();
    };
  });

  async function read(): Promise<void> {
    if (isReading) {
      isStale = true;
      return;
    }
    isReading = true;
    cancelAgain();
    do {
      isStale = false;
      try {
        const [pending, recent, blocked] = await Promise.all([source.pending(), source.recent(), source.blocked()]);
        cell.set({
          state: "ready",
          pending,
          answered: recent.filter(({ status }) => status !== "pending").toSorted(newestFirst),
          runs: new Map(blocked.map((run) => [run.run_id, run])),
        });
      } catch {
        // What was read before stays: the connection says by itself that it is lost.
        const known = cell.read();
        if (known.state === "loading") cell.set({ ...known, state: "failed" });
        cancelAgain();
        if (isWatched) cancelAgain = source.after(TRY_AGAIN_MS, () => void read());
      }
    } while (isStale && isWatched);
    isReading = false;
  }

  return {
    read: cell.read,
    subscribe: cell.subscribe,
    /** Reads again, after the first reading failed. */
    refresh: () => void read(),
  };
}

const newestFirst = (a: ApprovalRecord, b: ApprovalRecord): number =>
  (b.resolved_at ?? b.requested_at).localeCompare(a.resolved_at ?? a.requested_at);
