import type { FileChange, FileContent, Snapshot, Snapshots } from "../workspace/snapshot.ts";

/** A call that changes more files than this has the others counted only. */
const MAX_CHANGES = 1_000;
/** A snapshot that takes longer is given up, and no further one is taken. */
const MAX_MS = 60_000;
/** The same once the run is over and somebody waits for its end. */
const MAX_MS_AT_END = 5_000;

/** Takes the snapshots of a run one after the other. A failure is noted, and the run goes on without snapshots. */
export class SnapshotLine {
  /** What users should know. */
  readonly notes: string[] = [];
  /** When the older of the two snapshots that were compared last began. */
  comparedSince = 0;
  #startedAt = 0;
  #last: Snapshot | undefined;
  #lastAt = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #snapshots: Promise<Snapshots> | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #isHurried = false;
  #isOver: boolean;
  readonly #open: ((signal: AbortSignal) => Promise<Snapshots>) | undefined;
  readonly #stop = new AbortController();
  readonly #now: () => number;

  constructor(open: ((signal: AbortSignal) => Promise<Snapshots>) | undefined, now: () => number = Date.now) {
    this.#open = open;
    this.#isOver = open === undefined;
    this.#now = now;
  }

  /** Whether there is a state to compare with. */
  get hasState(): boolean {
    return this.#last !== undefined;
  }

  /** Milliseconds since the last snapshot. */
  get age(): number {
    return this.#now() - this.#lastAt;
  }

  /**
   * Takes a snapshot and returns what changed since the one before; undefined if it is the first, or none could be taken.
   * `isWanted` is asked when it is done: if it says no, the state stays what it was.
   */
  advance(isWanted: () => boolean = () => true): Promise<FileChange[] | undefined> {
    return this.#inTurn(async (snapshots) => {
      const startedAt = this.#now();
      const now = await snapshots.take();
      const before = this.#last;
      if (!isWanted()) return undefined;
      const found = before && before.id !== now.id ? await snapshots.compare(before, now, MAX_CHANGES) : undefined;
      this.#last = now;
      this.comparedSince = this.#startedAt;
      this.#startedAt = startedAt;
      this.#lastAt = this.#now();
      for (const note of snapshots.notes) this.#note(note);
      if (found && found.more > 0) {
        this.notes.push(`${found.more} more files changed at once. Their changes are not kept.`);
      }
      return before && (found?.changes ?? []);
    });
  }

  /** What a file was in the last snapshot. */
  async read(file: string): Promise<FileContent | "absent" | "unknown"> {
    const found = await this.#inTurn(async (snapshots) => (this.#last ? snapshots.read(this.#last, file) : undefined));
    return found ?? "unknown";
  }

  /** Resolves when no snapshot is being taken. */
  async idle(): Promise<void> {
    await this.#turn;
  }

  hurry(): void {
    if (this.#isHurried) return;
    this.#isHurried = true;
    if (this.#deadline) this.#limit(MAX_MS_AT_END);
  }

  async close(): Promise<void> {
    this.#isOver = true;
    this.#stop.abort();
    await this.#turn;
    const snapshots = await this.#snapshots?.catch(() => undefined);
    await snapshots?.close();
  }

  #inTurn<T>(work: (snapshots: Snapshots) => Promise<T>): Promise<T | undefined> {
    const done = this.#turn.then(async () => {
      const open = this.#open;
      if (this.#isOver || !open) return undefined;
      this.#limit(this.#isHurried ? MAX_MS_AT_END : MAX_MS);
      try {
        this.#snapshots ??= open(this.#stop.signal);
        return await work(await this.#snapshots);
      } catch (error) {
        this.#giveUp(error as Error);
        return undefined;
      } finally {
        clearTimeout(this.#deadline);
        this.#deadline = undefined;
      }
    });
    this.#turn = done;
    return done;
  }

  #limit(milliseconds: number): void {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.#stop.abort(), milliseconds).unref();
  }

  #giveUp(error: Error): void {
    // The end of the run ended it.
    if (this.#isOver) return;
    this.#isOver = true;
    const why = this.#stop.signal.aborted ? "A snapshot took too long." : error.message;
    this.#note(`Changes of files are no longer looked for, except in files that calls name. ${why}`);
  }

  #note(note: string): void {
    if (this.#noted.has(note)) return;
    this.#noted.add(note);
    this.notes.push(note);
  }

  readonly #noted = new Set<string>();
}
