import type { Log } from "../../log/log.ts";
import { expireDue } from "../approvals/due.ts";
import { LEASE_MS } from "../lease-times.ts";
import { ownWorkerId } from "../worker.ts";
import type { Executor, Executors, Launcher, OfferedKind } from "./executor.ts";
import { createExecutors } from "./executors.ts";
import type { LeaseClock } from "./lease.ts";
import { endedOf, findSurvivors } from "./survivors.ts";

/** What a worker performs, and how many runs at a time. */
export interface WorkerOptions {
  log: Log;
  /** The data directory. */
  directory: string;
  /** What performs the runs, by their kind. Default: everything that this version of Spoor can perform. */
  executors?: Executors;
  /** Further kinds of tasks, such as `loop`, if `executors` is absent. */
  kinds?: readonly OfferedKind[];
  /** How many runs are performed at the same time. */
  concurrency: number;
  worker_id?: string;
  clock?: LeaseClock;
  /** Receives errors of the worker itself; a failing run is told by its events. */
  onFault?(error: unknown): void;
  /** Called when a process that was started for a run has ended. It may have left the run unfinished. */
  onProcessEnd?(): void;
}

/** How often the queue and deadlines are looked at without being told of a change. */
const POLL_MS = 1_000;
/** How long no process is started after one that ended without taking a run; doubled each time. */
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;

/**
 * Takes runs from the queue and performs them: the greatest priority first, then the one that waits longest. A change of
 * the queue wakes it at once, whichever process made the change.
 *
 * @example
 * const worker = new Worker({ log, directory: "./runs", concurrency: 4 });
 * process.once("SIGINT", () => void worker.close());
 */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #executors: Executors;
  readonly #worker_id: string;
  readonly #unwatch: () => void;
  readonly #poll: NodeJS.Timeout;
  readonly #stopping = new AbortController();
  readonly #inline = new Set<Promise<void>>();
  readonly #launched = new Set<Promise<void>>();
  /** Runs whose process was started by a worker that is gone. They are looked for once, before the first run is taken. */
  #survivors: Set<string> | undefined;
  /** Processes that were started and have not taken a run yet. */
  #booting = 0;
  #delayMs = 0;
  #launchAfter = 0;
  #loading: Promise<typeof import("./take-run.ts")> | undefined;
  #isLooking = false;
  #mustLook = false;
  #expiring: Promise<void> | undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#executors = options.executors ?? createExecutors(options.directory, options.kinds);
    this.#worker_id = options.worker_id ?? ownWorkerId();
    this.#unwatch = options.log.watchRows((table) => {
      if (table === "queue") this.wake();
    });
    this.#poll = setInterval(() => {
      this.#expire();
      this.wake();
    }, POLL_MS);
    for (const { sweep } of options.kinds ?? [])
      void sweep?.(options.directory).catch((error) => options.onFault?.(error));
    this.wake();
  }

  /** How many runs are performed now: in this process, in others that it started, and in those that outlived their worker. */
  get active(): number {
    return this.#inline.size + this.#launched.size + (this.#survivors?.size ?? 0);
  }

  /** Looks at the queue. */
  wake(): void {
    this.#mustLook = true;
    if (!this.#isLooking) void this.#look();
  }

  /** Takes no more runs, and waits until those in this process have ended or are given back. Other processes continue. */
  async close(): Promise<void> {
    clearInterval(this.#poll);
    this.#unwatch();
    this.#stopping.abort("shutdown");
    while (this.#inline.size > 0) await Promise.all(this.#inline);
    await this.#expiring;
  }

  /** Decides approvals whose deadline has passed. The log may be closed meanwhile. */
  #expire(): void {
    this.#expiring ??= expireDue(this.#options.log)
      .catch((error) => {
        if (!this.#stopping.signal.aborted) this.#options.onFault?.(error);
      })
      .finally(() => {
        this.#expiring = undefined;
      });
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    try {
      while (this.#mustLook && !this.#stopping.signal.aborted) {
        this.#mustLook = false;
        await this.#countSurvivors();
        await this.#take();
        await this.#launch();
      }
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#options.onFault?.(error);
    } finally {
      this.#isLooking = false;
    }
  }

  async #countSurvivors(): Promise<void> {
    const { log } = this.#options;
    this.#survivors ??= new Set(await findSurvivors(log, this.#worker_id));
    for (const run_id of await endedOf(log, this.#survivors)) this.#survivors.delete(run_id);
  }

  get #hasRoom(): boolean {
    return this.active < this.#options.concurrency && !this.#stopping.signal.aborted;
  }

  async #take(): Promise<void> {
    const { log, directory } = this.#options;
    const executors = this.#executors;
    const kinds = [...executors.inline.keys()];
    if (kinds.length === 0 || !(await this.#hasWork(kinds))) return;
    this.#loading ??= import("./take-run.ts");
    const { openingOf, perform } = await this.#loading;
    while (this.#hasRoom) {
      const claim = await log.queue.claim(this.#worker_id, kinds, LEASE_MS, (run, lease) =>
        openingOf(run, lease, executors.inline.get(run.kind)?.name ?? "worker", directory),
      );
      if (!claim) return;
      const executor = executors.inline.get(claim.run.kind) as Executor;
      this.#track(this.#inline, perform(executor, claim, { ...this.#options, stopping: this.#stopping.signal }));
    }
  }

  /** Whether runs of these kinds wait. It is asked only before the first one: what performs runs is loaded with it. */
  async #hasWork(kinds: readonly string[]): Promise<boolean> {
    if (this.#loading) return true;
    const { rows } = await this.#options.log.rows.list("queue", { where: { kind: kinds, worker_id: null }, limit: 1 });
    return rows.length > 0;
  }

  /** Starts a process for each run that waits for one, as far as there is room. */
  async #launch(): Promise<void> {
    const { log, concurrency } = this.#options;
    for (const [kind, launcher] of this.#executors.launched) {
      if (!this.#hasRoom || Date.now() < this.#launchAfter) return;
      const { rows } = await log.rows.list("queue", { where: { kind, worker_id: null }, limit: concurrency });
      const due = rows.filter(({ due_at }) => due_at <= Date.now()).length;
      while (this.#booting < due && this.#hasRoom) this.#start(launcher);
    }
  }

  #start(launcher: Launcher): void {
    const { claimed, ended } = launcher.launch();
    this.#booting += 1;
    void claimed.then((hasClaimed) => {
      this.#booting -= 1;
      // A process that cannot start must not be started again and again.
      this.#delayMs = hasClaimed ? 0 : Math.min(MAX_DELAY_MS, Math.max(FIRST_DELAY_MS, this.#delayMs * 2));
      this.#launchAfter = Date.now() + this.#delayMs;
      this.wake();
    });
    this.#track(
      this.#launched,
      ended.then(() => this.#options.onProcessEnd?.()),
    );
  }

  #track(active: Set<Promise<void>>, work: Promise<void>): void {
    const settled = work
      .catch((error) => this.#options.onFault?.(error))
      .then(() => {
        active.delete(settled);
        this.wake();
      });
    active.add(settled);
  }
}
