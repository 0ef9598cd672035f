import { endsRun } from "../log/feed/filter.ts";
import type { Log } from "../log/log.ts";
import { isOver, type RunRecord } from "../log/records.ts";
import { reconcile } from "./reconcile.ts";

export interface CaretakerOptions {
  /** Milliseconds after its end that a run is compressed; left out, none is. */
  compressAfter?: number;
  now?: () => number;
  /** Told what could not be done. The rest is done all the same, and this is tried again later. */
  onFault?(error: unknown): void;
}

/** How often old runs are looked for. */
const OLD_RUNS_MS = 3_600_000;
/** Whoever sends something again does so within that time. */
const KEYS_MS = 7 * 86_400_000;
const PAGE = 100;

/**
 * What a log needs while it is served, a round at a time: runs whose process died are closed, the small chunks of those
 * that ended are joined, those that ended long ago are compressed, and old idempotency keys are forgotten. Nothing that
 * is read changes by it.
 */
export class Caretaker {
  readonly #log: Log;
  readonly #options: CaretakerOptions;
  readonly #now: () => number;
  readonly #unwatch: () => void;
  /** Ended since the last round. */
  #ended = new Set<string>();
  /** Runs that ended before this are compressed; nothing is known before the first look. */
  #compressedBefore = Number.NEGATIVE_INFINITY;
  #nextLook = Number.NEGATIVE_INFINITY;
  /** Runs that were lost before we came are closed. */
  #hasReconciled = false;
  /** Every run that had ended was looked at once. */
  #hasLooked = false;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(log: Log, options: CaretakerOptions = {}) {
    this.#log = log;
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#unwatch = log.watch((piece) => {
      if (endsRun(piece)) this.#ended.add(piece.run_id);
    });
  }

  /** Does what there is to do; one round at a time. */
  round(): Promise<void> {
    this.#running ??= this.#round().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** What is under way is finished as far as it must be. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unwatch();
    await this.#running;
  }

  async #round(): Promise<void> {
    const reason = this.#hasReconciled ? "worker_lease_expired" : "boot_reconcile";
    if (await this.#attempt(() => reconcile(this.#log, { now: this.#now, reason }))) this.#hasReconciled = true;
    const ended = [...this.#ended];
    this.#ended = new Set();
    for (const run_id of ended) {
      if (!(await this.#attempt(() => this.#log.upkeep.merge({ run_id })))) this.#ended.add(run_id);
    }
    if (this.#now() < this.#nextLook) return;
    this.#nextLook = this.#now() + OLD_RUNS_MS;
    await this.#attempt(() => this.#log.upkeep.forgetKeys(this.#now() - KEYS_MS));
    await this.#attempt(() => this.#lookAtAll());
  }

  /** At first also for small chunks, of runs that ended while nobody looked. */
  async #lookAtAll(): Promise<void> {
    const { compressAfter = Number.POSITIVE_INFINITY } = this.#options;
    const coldBefore = this.#now() - compressAfter;
    let isDone = true;
    for await (const run of this.#endedRuns()) {
      if (this.#isClosed) return;
      const { run_id, ended_at = Number.POSITIVE_INFINITY } = run;
      const isDue = ended_at < coldBefore && ended_at >= this.#compressedBefore;
      if (!isDue && this.#hasLooked) continue;
      if (!(await this.#attempt(() => this.#log.upkeep.merge({ run_id, coldBefore })))) isDone = false;
    }
    if (!isDone) return;
    this.#hasLooked = true;
    this.#compressedBefore = coldBefore;
  }

  async *#endedRuns(): AsyncIterable<RunRecord> {
    let before: string | undefined;
    for (let more = true; more; ) {
      const page = await this.#log.runs({ limit: PAGE, ...(before !== undefined && { before }) });
      yield* page.runs.filter(isOver);
      before = page.runs.at(-1)?.run_id;
      more = page.more && before !== undefined;
      // Whoever is served gets a turn.
      await new Promise(setImmediate);
    }
  }

  /** False when it failed, or was not to be begun any more. */
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
