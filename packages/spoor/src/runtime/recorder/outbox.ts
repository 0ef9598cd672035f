import type { Effect } from "../../log/effects.ts";
import type { AppendReceipt, LogDraft, RunAppend, TapeLine } from "../../log/log.ts";
import type { FactChanges, NewRun, StoredRun } from "../../log/records.ts";
import { RunFactsFold } from "../projections/run-facts.ts";
import { dropSuperseded } from "./drop-superseded.ts";
import type { RecorderLog } from "./recorder-log.ts";

/** Backpressure begins when this many characters wait to be written. */
const LIMIT = 1024 * 1024;
/** Nobody waits for raw lines, so they are written in larger pieces. Unwritten lines are lost when the process dies. */
const TAPE_LIMIT = 256 * 1024;
const TAPE_WAIT_MS = 1_000;

/** The part of the queue that a commit made durable. */
export interface Written {
  /** The last count given to `reached` before the commit. */
  reached: number;
  receipts: readonly AppendReceipt[];
}

interface Waiting {
  create?: NewRun;
  drafts: LogDraft[];
  facts?: FactChanges;
  effects?: Effect[];
}

/** What is added to the queue for one run. */
export interface Added {
  create?: NewRun;
  facts?: FactChanges;
  drafts: readonly LogDraft[];
  /** The events that the run's row follows, if some of them are in the log already. Default: `drafts`. */
  told?: readonly LogDraft[];
  effects?: readonly Effect[];
  /** The approval that the drafts decide. They are left out if somebody else decided it first. */
  settles?: string;
}

/**
 * The queue before the log. One append runs at a time, and everything that arrives meanwhile goes into the next one, so
 * the events of a run keep their order. After the log has refused an append the queue takes nothing more, so what is
 * stored is a complete prefix.
 */
export class Outbox {
  failure: Error | undefined;
  /** Called after every commit of events, and for events that needed no commit. */
  onWritten: ((written: Written) => void) | undefined;
  readonly #log: Pick<RecorderLog, "append" | "tapes">;
  readonly #onFailure: (error: Error) => void;
  /** How many of the owner's events the added drafts cover, and how many of those are durable. */
  #reached = 0;
  #durable = 0;
  readonly #epochs = new Map<string, number>();
  /** The facts of the runs that are not over. */
  readonly #facts = new Map<string, RunFactsFold>();
  #waiting = new Map<string, Waiting>();
  /** Drafts that decide an approval, until they are durable. */
  #settling = new Map<string, readonly LogDraft[]>();
  #tape: { run_id: string; lines: TapeLine[] } | undefined;
  #tapeSize = 0;
  #isTapeDue = false;
  /** Set while raw lines wait. */
  #tapeTimer: NodeJS.Timeout | undefined;
  /** Characters that wait or are being written. */
  #size = 0;
  #pumping: Promise<void> | undefined;
  /** Resolve when the events being written, or those that wait, are durable or refused. */
  #writing: PromiseWithResolvers<void> | undefined;
  #next: PromiseWithResolvers<void> | undefined;
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(log: Pick<RecorderLog, "append" | "tapes">, onFailure: (error: Error) => void) {
    this.#log = log;
    this.#onFailure = onFailure;
  }

  /** The epoch under which this process has claimed a run that is in the log already, and the fold of its stored events. */
  setEpoch(run: StoredRun, epoch: number, past: RunFactsFold): void {
    this.#epochs.set(run.run_id, epoch);
    this.#facts.set(run.run_id, new RunFactsFold(run, past));
  }

  /** The epoch under which this process writes a run; undefined before its first commit. */
  epochOf(run_id: string): number | undefined {
    return this.#epochs.get(run_id);
  }

  add(run_id: string, { create, drafts, told = drafts, facts, effects, settles }: Added): void {
    if (this.failure) return;
    const waiting = this.#waiting.get(run_id) ?? { drafts: [] };
    this.#waiting.set(run_id, waiting);
    if (create) waiting.create = create;
    if (create) this.#facts.set(run_id, new RunFactsFold({ kind: create.kind }));
    const changes = this.#changedFacts(run_id, told, facts);
    if (changes) waiting.facts = { ...waiting.facts, ...changes };
    if (effects && effects.length > 0) waiting.effects = [...(waiting.effects ?? []), ...effects];
    if (settles !== undefined) this.#settling.set(settles, drafts);
    for (const draft of drafts) {
      waiting.drafts.push(draft);
      this.#size += draft.json.length;
    }
    this.#pumping ??= this.#pump();
  }

  /** What changes in the row: what the events say, and what the writer of the run knows beside that. */
  #changedFacts(run_id: string, drafts: readonly LogDraft[], own?: FactChanges): FactChanges | undefined {
    const fold = this.#facts.get(run_id);
    const folded = fold?.add(drafts);
    if (own) fold?.adopt(own);
    if (fold?.facts.ended_at !== undefined) this.#facts.delete(run_id);
    // The time of the end is that of the stored event, which may be later than the writer's.
    return folded || own ? { ...folded, ...own, ...(folded?.ended_at && { ended_at: folded.ended_at }) } : undefined;
  }

  /** The drafts of the first `count` events have all been added. */
  reached(count: number): void {
    this.#reached = count;
    if (!this.#pumping && !this.failure) this.#reportWritten(count, []);
  }

  /** Resolves when the added events are durable, or were refused. Raw lines may still wait. */
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
    this.#tapeTimer ??= setTimeout(() => this.#requestTape(), TAPE_WAIT_MS).unref();
    if (this.#tapeSize > TAPE_LIMIT) this.#requestTape();
  }

  /** Backpressure: a promise to wait for before adding more, or undefined. */
  drained(): Promise<void> | undefined {
    if (this.failure || this.#size + this.#tapeSize < LIMIT) return undefined;
    this.#drained ??= Promise.withResolvers();
    return this.#drained.promise;
  }

  /** Resolves when events and raw lines are durable, or were refused. */
  async flush(): Promise<void> {
    if (this.#tape) this.#requestTape();
    await this.#pumping;
  }

  #requestTape(): void {
    this.#isTapeDue = true;
    this.#pumping ??= this.#pump();
  }

  async #pump(): Promise<void> {
    // Everything that is added in the same tick goes into one append.
    await undefined;
    while ((this.#waiting.size > 0 || this.#isTapeDue) && !this.failure) {
      if (this.#waiting.size > 0) await this.#writeEvents();
      if (this.#isTapeDue) await this.#writeTape();
      this.#resolveDrained();
    }
    this.#resolveDrained();
    this.#pumping = undefined;
    if (!this.failure) this.#reportWritten(this.#reached, []);
  }

  #reportWritten(reached: number, receipts: readonly AppendReceipt[]): void {
    if (reached === this.#durable && receipts.length === 0) return;
    this.#durable = reached;
    this.onWritten?.({ reached, receipts });
  }

  async #writeEvents(): Promise<void> {
    const batch = [...this.#waiting].map(([run_id, waiting]) => this.#append(run_id, waiting));
    const size = this.#size;
    const reached = this.#reached;
    const settling = this.#settling;
    this.#waiting = new Map();
    this.#settling = new Map();
    const writing = this.#next ?? Promise.withResolvers();
    this.#next = undefined;
    this.#writing = writing;
    try {
      const receipts = await this.#appendAll(batch, settling);
      for (const { run_id, epoch } of receipts) this.#epochs.set(run_id, epoch);
      this.#reportWritten(reached, receipts);
    } catch (error) {
      this.#fail(error);
    }
    this.#size -= size;
    this.#writing = undefined;
    writing.resolve();
  }

  /** Writes what is left if another process was faster with a part of it. */
  async #appendAll(batch: readonly RunAppend[], settling: Map<string, readonly LogDraft[]>): Promise<AppendReceipt[]> {
    for (let rest = batch; ; ) {
      try {
        return await this.#log.append(rest);
      } catch (error) {
        const remaining = dropSuperseded(rest, settling, error);
        if (!remaining) throw error;
        rest = remaining;
      }
    }
  }

  #append(run_id: string, { create, drafts, facts, effects }: Waiting): RunAppend {
    const epoch = this.#epochs.get(run_id);
    return {
      run_id,
      drafts,
      ...(create && { create }),
      ...(facts && { facts }),
      ...(effects && { effects }),
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

  #resolveDrained(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}
