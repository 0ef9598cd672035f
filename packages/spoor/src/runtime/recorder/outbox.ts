import type { LogDraft, RunAppend, TapeLine } from "../../log/log.ts";
import type { NewRun, RunFacts } from "../../log/records.ts";
import type { RecorderLog } from "./recorder-log.ts";

/** Characters that may wait to be written before whoever makes them should wait too. */
const LIMIT = 1024 * 1024;
/** Tape is written in larger pieces: nobody waits for it. But what is not written is lost with the process. */
const TAPE_LIMIT = 256 * 1024;
const TAPE_WAIT_MS = 1_000;

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
  readonly #log: RecorderLog;
  readonly #onFailure: (error: Error) => void;
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
  }

  async #writeEvents(): Promise<void> {
    const batch = [...this.#waiting].map(([run_id, waiting]) => this.#append(run_id, waiting));
    const size = this.#size;
    this.#waiting = new Map();
    try {
      for (const { run_id, epoch } of await this.#log.append(batch)) this.#epochs.set(run_id, epoch);
    } catch (error) {
      this.#fail(error);
    }
    this.#size -= size;
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
    this.#onFailure(this.failure);
  }

  #makeRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}
