import { endsRun } from "../log/feed/filter.ts";
import type { Log } from "../log/log.ts";
import { isOver, type StoredRun } from "../log/records.ts";
import { reconcile } from "./reconcile.ts";
import type { Successor } from "./recovery/end-run.ts";
import type { LossReason } from "./recovery/recover.ts";
import type { RetentionPolicy } from "./retention.ts";
import { hasWorkspaces } from "./workspace/places.ts";

/** How a log is maintained. */
export interface CaretakerOptions {
  /** Runs are compressed this many milliseconds after their end. Default: never. */
  compressAfter?: number;
  /** What is kept. Default: everything. */
  keep?: RetentionPolicy;
  now?: () => number;
  /** Makes the run that goes on from one whose process was lost, if its task asks for that. */
  successor?: Successor;
  /** Called with the error when a step fails. The other work continues, and the failed step is retried later. */
  onFault?(error: unknown): void;
}

/** How often all runs are checked for those that ended long ago. */
const OLD_RUNS_MS = 3_600_000;
/** Idempotency keys are kept this long; clients retry within that time. */
const KEYS_MS = 7 * 86_400_000;
const PAGE = 100;
/** The system closes the sockets of a killed process a moment before the process is gone. */
const SOON_MS = 200;

/**
 * Maintains a log while it is served. Each round closes runs whose process died, merges the small chunks of runs that
 * ended, compresses runs that ended long ago, and deletes old idempotency keys. Readers see the same bytes before and
 * after. With `keep`, it also removes what is beyond the limits, once an hour.
 *
 * @example
 * const caretaker = new Caretaker(log, { compressAfter: 86_400_000 });
 * const rounds = setInterval(() => void caretaker.round(), 30_000);
 * process.once("SIGINT", () => {
 *   clearInterval(rounds);
 *   void caretaker.close();
 * });
 */
export class Caretaker {
  readonly #log: Log;
  readonly #options: CaretakerOptions;
  readonly #now: () => number;
  readonly #unwatch: () => void;
  /** Runs that ended since the last round. */
  #ended = new Set<string>();
  /** All runs that ended before this time are compressed. */
  #compressedBefore = Number.NEGATIVE_INFINITY;
  #nextCheck = Number.NEGATIVE_INFINITY;
  /** Whether runs that were lost before this process started are closed. */
  #hasReconciled = false;
  /** Whether every ended run was checked once. */
  #hasCheckedAll = false;
  #running: Promise<void> | undefined;
  #looking: NodeJS.Timeout | undefined;
  #recovering: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(log: Log, options: CaretakerOptions = {}) {
    this.#log = log;
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#unwatch = log.watch((piece) => {
      if (endsRun(piece)) this.#ended.add(piece.run_id);
    });
  }

  /** Runs a round, or joins the one that is running. */
  round(): Promise<void> {
    this.#running ??= this.#round().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Recovers lost runs soon, without waiting for the next round. Call it when a process that may have performed one ends. */
  lookForLost(): void {
    this.#looking ??= setTimeout(() => {
      this.#looking = undefined;
      this.#recovering = this.#attempt(() => this.#reconcile("worker_lease_expired"));
    }, SOON_MS).unref();
  }

  /** Stops after the step that is running. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unwatch();
    clearTimeout(this.#looking);
    await Promise.all([this.#running, this.#recovering]);
  }

  async #round(): Promise<void> {
    const reason = this.#hasReconciled ? "worker_lease_expired" : "boot_reconcile";
    if (await this.#attempt(() => this.#reconcile(reason))) this.#hasReconciled = true;
    await this.#attempt(() => this.#answerLate());
    const ended = [...this.#ended];
    this.#ended = new Set();
    for (const run_id of ended) {
      if (!(await this.#attempt(() => this.#log.upkeep.merge({ run_id })))) this.#ended.add(run_id);
    }
    if (this.#now() < this.#nextCheck) return;
    this.#nextCheck = this.#now() + OLD_RUNS_MS;
    await this.#attempt(() => this.#log.upkeep.forgetKeys(this.#now() - KEYS_MS));
    const { keep } = this.#options;
    if (keep) await this.#attempt(() => this.#keep(keep));
    await this.#attempt(() => this.#removeOldFolders());
    await this.#attempt(() => this.#checkAll());
  }

  async #keep(policy: RetentionPolicy): Promise<void> {
    const { keepWithin } = await import("./keep.ts");
    await keepWithin(this.#log, policy, this.#now());
  }

  async #reconcile(reason: LossReason): Promise<void> {
    await reconcile(this.#log, { now: this.#now, reason, successor: this.#options.successor ?? "none" });
  }

  /** Decides approvals whose deadline has passed, and enforces cancels that nobody carried out. */
  async #answerLate(): Promise<void> {
    const { rows } = this.#log;
    const [approvals, commands] = await Promise.all([
      rows.list("approvals", { where: { status: "pending" }, limit: 1 }),
      rows.list("commands", { where: { done_at: null }, limit: 1 }),
    ]);
    // Loaded only when needed.
    if (approvals.rows.length > 0) {
      const { expireApprovals } = await import("./approvals/deadline.ts");
      await expireApprovals(this.#log, this.#now());
    }
    if (commands.rows.length > 0) {
      const { tidyCommands } = await import("./commands/carry-out.ts");
      await tidyCommands(this.#log, this.#now());
    }
  }

  /** The first check also merges small chunks of runs that ended while no server was running. */
  async #checkAll(): Promise<void> {
    const { compressAfter = Number.POSITIVE_INFINITY } = this.#options;
    const coldBefore = this.#now() - compressAfter;
    let isDone = true;
    for await (const run of this.#endedRuns()) {
      if (this.#isClosed) return;
      const { run_id, ended_at = Number.POSITIVE_INFINITY } = run;
      const isDue = ended_at < coldBefore && ended_at >= this.#compressedBefore;
      if (!isDue && this.#hasCheckedAll) continue;
      if (!(await this.#attempt(() => this.#log.upkeep.merge({ run_id, coldBefore })))) isDone = false;
    }
    if (!isDone) return;
    this.#hasCheckedAll = true;
    this.#compressedBefore = coldBefore;
  }

  /** Worktrees and clones that nobody needs any more, and snapshots of workspaces that were not used for long. */
  async #removeOldFolders(): Promise<void> {
    const { directory } = this.#log;
    // Loaded only when needed: a server should start fast.
    if (directory === undefined || !hasWorkspaces(directory)) return;
    const { removeOldShadows, removeOldWorkspaces } = await import("./workspace/index.ts");
    await removeOldWorkspaces(this.#log, directory);
    await removeOldShadows(directory, this.#now());
  }

  async *#endedRuns(): AsyncIterable<StoredRun> {
    let before: string | undefined;
    for (let more = true; more; ) {
      const page = await this.#log.runs({ limit: PAGE, ...(before !== undefined && { before }) });
      yield* page.runs.filter(isOver);
      before = page.runs.at(-1)?.run_id;
      more = page.more && before !== undefined;
      // Let the server answer requests in between.
      await new Promise(setImmediate);
    }
  }

  /** Returns false when the work failed, or was not started because the caretaker is closed. */
  async #attempt(work: () => Promise<unknown>): Promise<boolean> {
    if (this.#isClosed) return false;
    try {
      await work();
      return true;
    } catch (error) {
      if (!this.#isClosed) this.#options.onFault?.(error);
      return false;
    }
  }
}
