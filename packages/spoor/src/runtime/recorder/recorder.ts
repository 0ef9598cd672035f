import type { AgentEvent } from "@spoor/protocol";
import { prefixed } from "@spoor/protocol/ids";
import type { WireLine } from "../../assemble/wire-line.ts";
import type { BudgetNotice } from "../../run/budget-meter.ts";
import type { RunObserver, RunStart, UserInput } from "../../run/observer.ts";
import { budgetEvent } from "../budgets/budget-events.ts";
import { createRedactor } from "../redaction/index.ts";
import { pieceText } from "../tape/pieces.ts";
import { ownWorkerId } from "../worker.ts";
import type { TakenCommand } from "./acknowledgements.ts";
import { type CallHooks, endedCall } from "./call-hooks.ts";
import { type ChangeSource, openCallsOf, type StoredPatch } from "./change-source.ts";
import type { AddedFields, NamedAttachment } from "./content-source.ts";
import { Gate } from "./gate.ts";
import { Outbox, type Written } from "./outbox.ts";
import type { Recorded, RecorderOptions } from "./recorder-options.ts";
import { RecordingError } from "./recording-error.ts";
import { RecordingLimit } from "./recording-limit.ts";
import { continuedBy, nameAttachments, openingOf } from "./request-opening.ts";
import { secretsOf } from "./request-secrets.ts";
import type { RunWriter } from "./run-writer.ts";
import { RunWriters } from "./run-writers.ts";
import type { TakenUpRun } from "./taken-up.ts";
import { TapeWriter } from "./tape-writer.ts";
import { WaitingEvents } from "./waiting-events.ts";

export type { Recorded, RecorderOptions } from "./recorder-options.ts";

/**
 * Records what one agent process does: its run, the runs that follow in the same process, and those of its subagents.
 * Everything is redacted first. A log that fails makes no method throw: `onFailure` is called and `failure` is set.
 *
 * @example
 * const recorder = new Recorder({ log, secrets: [{ value: "hunter2-hunter2", name: "password" }] });
 * await client.run({ agent: "claude", prompt: "hello" }, recorder);
 * console.log((await recorder.close()).run_ids);
 */
export class Recorder implements Required<Omit<RunObserver, "onEnd" | "decide" | "judge">> {
  failure: RecordingError | undefined;
  onFailure: ((error: RecordingError) => void) | undefined;
  /** Whether events arrive through `onEvent`. */
  isObserving = false;
  /** The user's hooks, if there are some. */
  hooks: CallHooks | undefined;
  /** Number of events so far. */
  #count = 0;
  readonly #options: RecorderOptions;
  readonly #outbox: Outbox;
  readonly #limit: RecordingLimit;
  readonly #now: () => number;
  readonly #gate = new Gate();
  readonly #writers: RunWriters;
  #tape: TapeWriter | undefined;
  #isDone = false;
  #changes: ChangeSource | undefined;
  readonly #waiting = new WaitingEvents(this.#gate);

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#limit = new RecordingLimit(options.max_recorded_bytes);
    this.#outbox = new Outbox(options.log, (error) => this.#fail(error));
    this.#writers = new RunWriters({
      ...options,
      outbox: this.#outbox,
      limit: this.#limit,
      gate: this.#gate,
      worker_id: options.worker_id ?? ownWorkerId(),
      redactor: createRedactor(options.secrets),
    });
  }

  /** Called after each commit. `reached` counts the events, in order of arrival, that are durable in full. */
  set onWritten(listener: (written: Written) => void) {
    this.#outbox.onWritten = listener;
  }

  /** Resolves when the run is in the log, so that the agent starts after that. */
  async onStart(start: RunStart): Promise<void> {
    this.#start(start);
    await this.written();
    this.#changes?.start();
  }

  /**
   * Resolves when all events so far are durable, or the log has refused them. Raw lines, and text that may be part of a
   * secret, may not be written yet.
   */
  async written(): Promise<void> {
    while (this.#gate.closed) await this.#gate.closed;
    await this.#outbox.written();
  }

  #start(start: RunStart): void {
    if (this.#isDone) return;
    const { runId, agent, request, environment } = start;
    const at = this.#now();
    const secrets = secretsOf({ request, ...(environment && { environment }) });
    this.#writers.redactor = createRedactor([...(this.#options.secrets ?? []), ...secrets]);
    const { taken_up, changes } = this.#options;
    const { budget, rewrite } = start;
    this.#writers.budget = budget;
    this.hooks = this.#options.hooks?.(start);
    if (start.snapshots !== false) this.#changes = changes?.(request.cwd);
    const named = nameAttachments(start, this.#options.contents);
    const opening = {
      ...openingOf(start, at, named),
      ...(changes && { snapshots: this.#changes?.kind ?? "off" }),
    };
    if (taken_up) this.#takeUp(taken_up, start, at, named);
    else this.#writers.openMain(runId, agent, opening, continuedBy(start));
    if (rewrite)
      this.write(prefixed("run", runId), (writer) => writer.own(["policy.model_rewrote", { ...rewrite }], at));
    const carryOver = (cost = 0) => budget?.carryOver(cost);
    if (budget) this.#gate.do(() => this.#gate.closeUntil(this.#writers.costBefore(), carryOver));
    if (named.length > 0) this.#gate.do(() => this.#keepAttachments(runId, named));
    if (this.#options.record_tape !== false) this.#gate.do(() => this.#startTape(start, at));
  }

  #keepAttachments(runId: string, named: readonly NamedAttachment[]): void {
    const keeping = this.#options.contents?.keepAttachments(named, this.#writers.placeOf(runId, this.#now()));
    if (!keeping) return;
    this.#gate.closeUntil(keeping, (kept) => {
      if (kept) this.#writers.changes(runId, kept, this.#now());
    });
  }

  #takeUp(taken: TakenUpRun, start: RunStart, at: number, named: readonly NamedAttachment[]): void {
    // Loaded only when needed: decoding needs the whole event catalog.
    const reading = import("./taken-up.ts").then(({ readStoredPart }) => readStoredPart(taken));
    const stored = reading.catch((error) => {
      this.#fail(error as Error);
      return undefined;
    });
    this.#gate.closeUntil(stored, (part) => {
      if (!part) return;
      this.#writers.takeUp(start.runId, taken, part, openingOf(start, at, named));
      // The files of calls that were proposed before are looked at when these run.
      const place = () => this.#writers.placeOf(start.runId, at);
      for (const event of openCallsOf(part.events)) void this.#changes?.look(event, () => [], place);
    });
  }

  #startTape({ runId, agent, dialect, stream, request, estimates, isGated }: RunStart, at: number): void {
    const place = { limit: this.#limit, outbox: this.#outbox, redactor: this.#writers.redactor };
    this.#tape = new TapeWriter({ ...this.#options, ...place, run_id: prefixed("run", runId) });
    this.#tape.start(at, { agent, dialect, stream, request, isGated, ...(estimates && { estimates }) });
  }

  /** `command` is the command that this input carries out; it ends with the event. */
  onUserInput(input: UserInput, command?: TakenCommand): void {
    if (this.#isDone) return;
    const at = this.#now();
    this.#gate.do(() => this.#writers.userInput(input, at, command));
  }

  /** Writes to a run of the process what no event of the agent tells. */
  write(run_id: string, action: (writer: RunWriter, at: number) => void): void {
    if (this.#isDone || this.failure) return;
    const at = this.#now();
    this.#gate.do(() => {
      const writer = this.#writers.writerOf(run_id);
      if (writer) action(writer, at);
    });
  }

  /** Replaces the secrets that this recorder knows. */
  redact(text: string): string {
    return this.#writers.redactor.redact(text);
  }

  /** The epoch under which a run is written; undefined before it is durable. */
  epochOf(run_id: string): number | undefined {
    return this.#outbox.epochOf(run_id);
  }

  onBudget(notice: BudgetNotice): void {
    this.write(prefixed("run", notice.runId), (writer, at) => writer.own(budgetEvent(notice), at));
  }

  onLine(line: WireLine): void {
    if (this.#isDone) return;
    const at = this.#now();
    this.#gate.do(() => this.#tape?.line({ from: line.from, text: pieceText(line), at }));
  }

  /** A recorder that observes a run gets its events here, so `add` must not be called for them. */
  onEvent(event: AgentEvent): void {
    this.isObserving = true;
    this.add(event);
  }

  /** Takes the next event of any run of the process. `fields` are added to its envelopes. */
  add(event: AgentEvent, fields?: AddedFields): void {
    if (this.failure || this.#isDone) return;
    if (this.#gate.closed) this.#waiting.add(event, () => this.#take(event, fields));
    else this.#take(event, fields);
  }

  /** Backpressure: a promise to wait for before the next event, or undefined. */
  drained(): Promise<void> | undefined {
    return this.#gate.closed ?? this.#outbox.drained();
  }

  /**
   * Accepts nothing more and closes the runs that did not end. Resolves when everything is durable, or the log has refused
   * it.
   */
  async close(): Promise<Recorded> {
    this.#isDone = true;
    this.#changes?.hurry();
    while (this.#gate.closed) await this.#gate.closed;
    await this.#endChanges();
    this.#writers.finish(this.#now());
    this.#tape?.end();
    this.#outbox.reached(this.#count);
    await this.#outbox.flush();
    return { run_ids: this.#writers.run_ids, ...(this.failure && { failure: this.failure }) };
  }

  /**
   * Accepts nothing more and leaves the runs as they are: another process goes on with them. Resolves when everything is
   * durable, or the log has refused it.
   */
  async leave(): Promise<void> {
    this.#isDone = true;
    while (this.#gate.closed) await this.#gate.closed;
    await this.#changes?.close();
    this.#writers.flush(this.#now());
    await this.#outbox.flush();
  }

  /** Resolves when a call that is about to run can be told from what changed before it. */
  async beforeCall(runId: string, toolCallId: string): Promise<void> {
    await this.written();
    await this.#changes?.beforeCall(runId, toolCallId);
  }

  /** The stream waits while somebody looks which files the event's call has changed. */
  #take(event: AgentEvent, fields?: AddedFields): void {
    const waiting = () => this.#waiting.events();
    const place = () => this.#writers.placeOf(event.runId, this.#now());
    // Our loop has looked at the files before, and nothing may come between its questions.
    const isAsked = this.#options.is_own_loop && event.type === "approval_request";
    const found = isAsked ? undefined : this.#changes?.look(event, waiting, place);
    const keeping = this.#options.contents?.look(event, place);
    if (!found && !keeping) {
      this.#write(event, undefined, fields);
      this.#tellHooks(event);
      return;
    }
    this.#gate.closeUntil(Promise.all([found, keeping]), (both) => {
      const [changes, kept] = both ?? [];
      this.#write(event, undefined, { ...fields, ...kept?.fields });
      if (kept) this.#writers.changes(event.runId, kept, this.#now());
      if (changes) this.#waiting.takeTold(event.runId, changes, (told, patch) => this.#write(told, patch));
      if (changes) this.#writers.changes(event.runId, changes, this.#now());
      this.#tellHooks(event);
    });
  }

  /** The stream waits while hooks run, so that their outcomes follow the end of the call. */
  #tellHooks(event: AgentEvent): void {
    const call = this.hooks && endedCall(event);
    const running = call && this.hooks?.after(call, () => this.#outbox.written());
    if (running) this.#gate.closeUntil(running, (events = []) => this.#writers.own(event.runId, events, this.#now()));
  }

  /** What changed after the last call is told before the run is closed. */
  async #endChanges(): Promise<void> {
    const changes = this.#changes;
    this.#changes = undefined;
    if (!changes) return;
    const rest = this.failure ? undefined : await changes.rest(() => this.#writers.placeOf(undefined, this.#now()));
    if (rest) this.#writers.changes(undefined, rest, this.#now());
    await changes.close();
  }

  #write(event: AgentEvent, patch?: StoredPatch, fields?: AddedFields): void {
    try {
      this.#writers.add(event, patch, fields);
      this.#count += 1;
      if (!this.#isHolding()) this.#outbox.reached(this.#count);
    } catch (error) {
      // A bug in the recorder. Events after this one would follow a gap, so recording stops.
      this.#fail(error as Error);
    }
  }

  #isHolding(): boolean {
    return this.#gate.closed !== undefined || this.#writers.isHolding(this.#options.awaited ?? (() => true));
  }

  #fail(error: Error): void {
    if (this.failure) return;
    this.failure = new RecordingError(error);
    this.onFailure?.(this.failure);
  }
}
