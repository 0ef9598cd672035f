import type { AppendReceipt, RunAppend } from "./append.ts";
import type { StoredRun } from "./records.ts";
import type { Row } from "./tables.ts";

/** Gives the rows of the table `queue` to workers. Times are compared by the store's clock. */
export interface Queue {
  /**
   * Takes the first free row of these kinds that is due: the greatest priority, then the one that waits longest. In one
   * transaction it writes the worker and the lease into the row, raises the run's epoch and appends the opening events.
   * Undefined if no row is free. A row whose worker let the lease expire is not free: recovery decides about it. With
   * `run_id`, takes the row of that run only, also if it is not due yet.
   *
   * @throws {LogError} `conflict` if an effect of the opening cannot be done. Then nothing is taken.
   */
  claim(
    worker_id: string,
    kinds: readonly string[],
    leaseMs: number,
    opening: (run: StoredRun, lease: Lease) => Opening,
    run_id?: string,
  ): Promise<Claim | undefined>;
  /** Renews the lease. False if the row is gone, or if another producer has taken over the run. */
  extend(run_id: string, epoch: number, leaseMs: number): Promise<boolean>;
  /** Gives the row back, so that the next worker can take it. Does nothing if the lease was lost. */
  release(run_id: string, epoch: number): Promise<void>;
}

/** What is appended to a run when a worker takes it. It must be made at once, since the store is locked meanwhile. */
export type Opening = Pick<RunAppend, "drafts" | "facts" | "effects">;

/** What a worker holds while it performs a run. */
export interface Lease {
  worker_id: string;
  /** The run's new epoch. */
  epoch: number;
  /** Epoch milliseconds. */
  lease_until: number;
}

/** A run that a worker has taken. */
export interface Claim extends Lease {
  /** The run after the opening. */
  run: StoredRun;
  row: Row<"queue">;
  receipt: AppendReceipt;
}
