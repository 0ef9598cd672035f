/**
 * A run of which a receiver does not have all events yet. Its events are sent one after the other.
 *
 * - ready: `dueAt` is past. Entered when the feed shows an event of the run, and after every page of its events.
 * - busy: its next events are being read or sent.
 * - waiting: `failing` is set and `dueAt` is to come.
 *
 * The lane is removed when everything up to the position of the feed is delivered.
 */
export interface Lane {
  readonly run_id: string;
  /** The sequence of the last event that was delivered or given up. */
  after: number;
  /** Whether the feed has shown events of the run since its events were read last. */
  isDirty: boolean;
  isBusy: boolean;
  /** A time of `performance.now()`, which no change of the clock moves. */
  dueAt: number;
  failing?: Failing;
  /** When the event in `failing` was refused last in this process, by `performance.now()`, and how long it had to wait then. */
  refused?: { at: number; waitMs: number };
  /** The event at which the receiver said last that it is busy, and how many events it had taken until then. */
  busy?: { sequence: number; delivered: number };
}

/** The event that the receiver does not take. */
export interface Failing {
  sequence: number;
  /** When it was refused first, in epoch milliseconds. */
  since: number;
  /** For how long it was tried, in milliseconds. Time without a server, or with a receiver out of reach, does not count. */
  tried_ms?: number;
  attempts: number;
  detail: string;
}

/** What is saved of a lane. */
export type SavedLane = Pick<Lane, "after" | "failing">;

/** The runs that a receiver is behind with, in the order in which they are served. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();

  constructor(saved: Readonly<Record<string, SavedLane>>) {
    // After a restart every run is tried at once.
    for (const [run_id, lane] of Object.entries(saved))
      this.#lanes.set(run_id, { run_id, ...lane, isDirty: false, isBusy: false, dueAt: 0 });
  }

  get size(): number {
    return this.#lanes.size;
  }

  /** Notes that the feed has shown an event of a run. */
  open(run_id: string, sequence: number): void {
    const known = this.#lanes.get(run_id);
    if (known) known.isDirty = true;
    else this.#lanes.set(run_id, { run_id, after: sequence - 1, isDirty: false, isBusy: false, dueAt: 0 });
  }

  ready(now: number): Lane | undefined {
    return this.#all().find(({ isBusy, dueAt }) => !isBusy && dueAt <= now);
  }

  /** When the next waiting lane is due. */
  nextDue(): number {
    return Math.min(...this.#all().map(({ isBusy, dueAt }) => (isBusy ? Number.POSITIVE_INFINITY : dueAt)));
  }

  has(lane: Lane): boolean {
    return this.#lanes.get(lane.run_id) === lane;
  }

  /** Puts a lane behind all others, so that they are served in turn. */
  moveBack(lane: Lane): void {
    if (this.remove(lane)) this.#lanes.set(lane.run_id, lane);
  }

  /** Returns whether the lane was there: all lanes may have been cleared while it was served. */
  remove(lane: Lane): boolean {
    return this.has(lane) && this.#lanes.delete(lane.run_id);
  }

  clear(): void {
    this.#lanes.clear();
  }

  /** Makes every waiting lane ready. */
  hurry(): void {
    for (const lane of this.#lanes.values()) lane.dueAt = 0;
  }

  failing(): (Lane & { failing: Failing })[] {
    return this.#all().filter((lane): lane is Lane & { failing: Failing } => lane.failing !== undefined);
  }

  saved(): Record<string, SavedLane> {
    return Object.fromEntries(
      this.#all().map(({ run_id, after, failing }) => [run_id, { after, ...(failing && { failing }) }]),
    );
  }

  #all(): Lane[] {
    return [...this.#lanes.values()];
  }
}
