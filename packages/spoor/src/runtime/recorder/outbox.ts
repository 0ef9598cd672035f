import type { LogDraft, Receipt, RunAppend, TapeLine } from "../../log/log.ts";
import type { NewRun, RunFacts } from "../../log/records.ts";
import type { RecorderLog } from "./recorder-log.ts";

/** Characters that may wait to be written before whoever makes them should wait too. */
const LIMIT = 1024 * 1024;
/** Tape is written in larger pieces: nobody waits for it. But what is not written is lost with the process. */
const TAPE_LIMIT = 256 * 1024;
const TAPE_WAIT_MS = 1_000;

/** What became durable. */
export interface Written {
  /** The count that was last given to `reached` before this was written. */
  reached: number;
  receipts: readonly Receipt[];
}

interface Waiting {
  create?: NewRun;
  drafts: LogDraft[];
  facts?: RunFacts;
}

/**
 * What is on its way to the log. One append is under way at a time, and what comes meanwhile shares the next one, so a
 * run's events keep their order. Once the log has refused, nothing more is taken: what was written stays a whole prefix.
 */
export class Outbox {
  failure: Error | undefined;
  /** Told after every commit of events, and when something was reached that needed none. */
  onWritten: ((written: Written) => void) | undefined;
  readonly #log: RecorderLog;
  readonly #onFailure: (error: Error) => void;
  /** How many of the owner's events all that was given stands for, and how many of them are durable. */
  #reached = 0;
  #durable = 0;
  readonly #epochs = new Map<string, number>();
  #waiting = new Map<string, Waiting>();
  #tape: { run_id: string; lines: TapeLine[] } | undefined;
  #tapeSize = 0;
  #isTapeDue = false;
  /** Runs while there is tape that waits. */
  #tapeTimer: NodeJS.Timeout | undefined;
  /** Characters that wait or are being written. */
  #size = 0;
  #pumping: Promise<void> | undefined;
  /** Resolve when the events being written, and those that wait, are durable or refused. */
  #writing: PromiseWithResolvers<void> | undefined;
  #next: PromiseWithResolvers<void> | undefined;
  #room: PromiseWithResolvers<void> | undefined;

  constructor(log: RecorderLog, onFailure: (error: Error) => void) {
    this.#log = log;
    this.#onFailure = onFailure;
  }

  add(run_id: string, { create, drafts, facts }: Waiting): void {
    if (this.failure) return;
    const waiting = this.#waiting.get(run_id) ?? { drafts: [] };
    this.#waiting.set(run_id, waiting);
    if (create) waiting.create = create;
    if (facts) waiting.facts = { ...waiting.facts, ...facts };
    for (const draft of drafts) {
      waiting.drafts.push(draft);
      this.#size += draft.json.length;
    }
    this.#pumping ??= this.#pump();
  }

  /** Everything that came of the first so many events was given. */
  reached(count: number): void {
    this.#reached = count;
    if (!this.#pumping && !this.failure) this.#tellWritten(count, []);
  }

  /** Resolves when the events that were given are durable, or were refused. Tape may still wait. */
  async written(): Promise<void> {
    if (this.#waiting.size === 0) return this.#writing?.promise;
    this.#next ??= Promise.withResolvers();
    return this.#next.promise;
  }

  addTape(run_id: string, lines: readonly TapeLine[]): void {
    if (this.failure) return;
    this.#tape ??= { run_id, lines: [] };
    for (const line of lines) {
      this.#tape.lines.push(line);
      this.#tapeSize += line.text.length;
    }
    this.#tapeTimer ??= setTimeout(() => this.#callForTape(), TAPE_WAIT_MS).unref();
    if (this.#tapeSize > TAPE_LIMIT) this.#callForTape();
  }

  /** What to wait for before making more; undefined is nothing. */
  room(): Promise<void> | undefined {
    if (this.failure || this.#size + this.#tapeSize < LIMIT) return undefined;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  /** Resolves when all that was given is durable, or was refused. */
  async flush(): Promise<void> {
    if (this.#tape) this.#callForTape();
    await this.#pumping;
  }

  #callForTape(): void {
    this.#isTapeDue = true;
    this.#pumping ??= this.#pump();
  }

  async #pump(): Promise<void> {
    // What is told in one go goes in one append.
    await undefined;
    while ((this.#waiting.size > 0 || this.#isTapeDue) && !this.failure) {
      if (this.#waiting.size > 0) await this.#writeEvents();
      if (this.#isTapeDue) await this.#writeTape();
      this.#makeRoom();
    }
    this.#makeRoom();
    this.#pumping = undefined;
    if (!this.failure) this.#tellWritten(this.#reached, []);
  }

  #tellWritten(reached: number, receipts: readonly Receipt[]): void {
    if (reached === this.#durable && receipts.length === 0) return;
    this.#durable = reached;
    this.onWritten?.({ reached, receipts });
  }

  async #writeEvents(): Promise<void> {
    const batch = [...this.#waiting].map(([run_id, waiting]) => this.#append(run_id, waiting));
    const size = this.#size;
    const reached = this.#reached;
    this.#waiting = new Map();
    const writing = this.#next ?? Promise.withResolvers();
    this.#next = undefined;
    this.#writing = writing;
    try {
      const receipts = await this.#log.append(batch);
      for (const { run_id, epoch } of receipts) this.#epochs.set(run_id, epoch);
      this.#tellWritten(reached, receipts);
    } catch (error) {
      this.#fail(error);
    }
    this.#size -= size;
    this.#writing = undefined;
    writing.resolve();
  }

  #append(run_id: string, { create, drafts, facts }: Waiting): RunAppend {
    const epoch = this.#epochs.get(run_id);
    return {
      run_id,
      drafts,
      ...(create && { create }),
      ...(facts && { facts }),
      ...(epoch !== undefined && { epoch }),
    };
  }

  async #writeTape(): Promise<void> {
    const tape = this.#tape;
    this.#tape = undefined;
    this.#tapeSize = 0;
    this.#isTapeDue = false;
    clearTimeout(this.#tapeTimer);
    this.#tapeTimer = undefined;
    if (!tape || this.failure) return;
    try {
      await this.#log.tapes.append(tape.run_id, tape.lines);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.failure) return;
    this.failure = error instanceof Error ? error : new Error(String(error));
    this.#waiting.clear();
    this.#next?.resolve();
    this.#onFailure(this.failure);
  }

  #makeRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}
