import { setTimeout as sleep } from "node:timers/promises";
import type { FileLock } from "../../../log/sqlite/file-lock.ts";
import { type EndedRun, endedAfter, isEnding } from "./ended-runs.ts";
import { Exporting, type ExportOptions, takeExportLock, takeFollowLock } from "./exporting.ts";
import type { Signal } from "./settings.ts";

/** Follows a log and exports every run when it is over. */
export interface Following {
  /** Exports what has ended until now if the receiver takes it, waits no longer than `graceMs`, and stops. */
  close(graceMs?: number): Promise<void>;
}

/** Runs that ended longer ago are not exported when following begins, in milliseconds. */
export const CATCH_UP_MS = 24 * 3_600_000;
const RETRY_MS = 500;
const AFTER_FAULT_MS = 10_000;
const GRACE_MS = 3_000;
const GATHER_MS = 100;

/**
 * Begins to follow a log and returns at once; everything happens beside the caller's work. The log is the queue: what
 * cannot be sent stays there, and a cursor in the log says where to go on, also in another process.
 */
export function followRuns(options: ExportOptions): Following {
  const { log, say } = options;
  const stopping = new AbortController();
  const from = log.lastPosition;
  let current: Round | undefined;
  let told = "";
  const work = async () => {
    while (!stopping.signal.aborted && !log.closed.aborted) {
      try {
        const locks = await takeLocks(options.directory, stopping.signal);
        if (!locks) return;
        try {
          current = new Round(options, await Exporting.open(options), from, stopping.signal);
          await current.work();
        } finally {
          current?.close();
          for (const lock of locks) lock.release();
        }
        if (current.isClosing) return;
      } catch (error) {
        if (stopping.signal.aborted || log.closed.aborted) return;
        const { message } = error as Error;
        if (message !== told) say(`The export of runs failed. Spoor tries again every ten seconds: ${message}`);
        told = message;
        await sleep(AFTER_FAULT_MS, undefined, { signal: stopping.signal }).catch(() => {});
      }
    }
  };
  const working = work();
  return {
    async close(graceMs = GRACE_MS) {
      if (!current) stopping.abort();
      current?.finish();
      const timer = setTimeout(() => stopping.abort(), graceMs);
      await working;
      clearTimeout(timer);
    },
  };
}

/** Waits until nobody else follows or exports. Undefined if `signal` aborts. */
async function takeLocks(directory: string, signal: AbortSignal): Promise<FileLock[] | undefined> {
  const locks: FileLock[] = [];
  for (const take of [takeFollowLock, takeExportLock]) {
    for (let lock = take(directory); ; lock = take(directory)) {
      if (lock === undefined) break;
      if (lock !== "held") {
        locks.push(lock);
        break;
      }
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
      if (!signal.aborted) continue;
      for (const one of locks) one.release();
      return undefined;
    }
  }
  return locks;
}

/** Where a signal is: up to `cursor` everything is exported, and the runs that are `done` are, too. */
interface Place {
  readonly done: ReadonlySet<string>;
  cursor: number;
}

/** One time of following, until it is closed or fails. */
class Round {
  readonly #options: ExportOptions;
  readonly #exporting: Exporting;
  /** Where following begins if the log was never followed. */
  readonly #from: number;
  readonly #signal: AbortSignal;
  /** Changes whenever there may be something to do. */
  #version = 0;
  #changed = Promise.withResolvers<void>();
  readonly #closing = new AbortController();

  constructor(options: ExportOptions, exporting: Exporting, from: number, signal: AbortSignal) {
    this.#options = options;
    this.#exporting = exporting;
    this.#from = from;
    this.#signal = signal;
  }

  async work(): Promise<void> {
    const { log, settings } = this.#options;
    const wake = () => this.#wake();
    const stopWatching = log.watch(({ eventTypes }) => {
      if (!eventTypes || [...eventTypes].some(isEnding)) wake();
    });
    for (const signal of [this.#signal, log.closed]) signal.addEventListener("abort", wake);
    try {
      const since = Date.now() - CATCH_UP_MS;
      const oldest = await log.positionBefore(since);
      const begin = async (signal: Signal) => {
        const { ledger } = this.#exporting;
        await ledger.forgetDone(signal, since);
        await this.#exporting.exportMarked(signal, this.#signal);
        const done = new Set((await ledger.marks(signal)).map(({ run_id }) => run_id));
        return { done, cursor: Math.max(await ledger.cursor(signal, this.#from), oldest) };
      };
      await Promise.all([
        settings.traces && begin("traces").then((place) => this.#followTraces(place)),
        settings.metrics && begin("metrics").then((place) => this.#followMetrics(place, settings.intervalMs)),
      ]);
    } finally {
      stopWatching();
      for (const signal of [this.#signal, log.closed]) signal.removeEventListener("abort", wake);
    }
  }

  get isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Ends the work when all that has ended is exported, as far as receivers can be reached. */
  finish(): void {
    this.#closing.abort();
    for (const sender of Object.values(this.#exporting.senders)) sender.giveUp();
    this.#wake();
  }

  close(): void {
    this.#exporting.close();
  }

  async #followTraces(place: Place): Promise<void> {
    while (!this.#signal.aborted) {
      const seen = this.#version;
      const isAll = await this.#next(place, (runs) =>
        this.#exporting.sendTraces(runs, this.#signal, (sent) =>
          this.#exporting.ledger.moveCursor("traces", sent.at(-1)?.position ?? place.cursor),
        ),
      );
      if (!isAll) continue;
      if (this.#isOver) return;
      while (this.#version === seen) await this.#changed.promise;
      // Runs that end together share a request.
      await sleep(GATHER_MS, undefined, { signal: this.#closing.signal }).catch(() => {});
    }
  }

  /** Metrics are read from the log when they are sent, so that the end of a run costs nothing at that moment. */
  async #followMetrics(place: Place, intervalMs: number): Promise<void> {
    const ended = AbortSignal.any([this.#signal, this.#options.log.closed, this.#closing.signal]);
    while (!this.#signal.aborted) {
      const isLast = ended.aborted;
      const add = async (runs: readonly EndedRun[], cursor: number) => {
        await this.#exporting.ledger.addMeasures(await this.#exporting.measures(runs), { cursor });
        return true;
      };
      while (!(await this.#next(place, add)));
      await this.#exporting.sendMetrics(isLast ? this.#signal : ended);
      if (isLast) return;
      await sleep(intervalMs, undefined, { signal: ended }).catch(() => {});
    }
  }

  /** Takes the next runs that have ended. Returns whether these were all. */
  async #next(place: Place, take: (runs: readonly EndedRun[], next: number) => Promise<boolean>): Promise<boolean> {
    const { ended, next, more } = await endedAfter(this.#options.log, place.cursor);
    const runs = ended.filter(({ run_id }) => !place.done.has(run_id));
    // False only if everything was stopped, and then the cursor stays.
    if (runs.length > 0 && !(await take(runs, next))) return true;
    place.cursor = next;
    return !more;
  }

  get #isOver(): boolean {
    return this.isClosing || this.#signal.aborted || this.#options.log.closed.aborted;
  }

  #wake(): void {
    this.#version += 1;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
