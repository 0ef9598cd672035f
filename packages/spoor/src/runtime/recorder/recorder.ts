import type { AgentEvent } from "@spoor/protocol";
import { createUlidSource, prefixed } from "@spoor/protocol/ids";
import { incompleteRun } from "@spoor/protocol/write";
import type { WireLine } from "../../assemble/wire-line.ts";
import type { RunRecord } from "../../log/records.ts";
import type { RunObserver, RunStart, UserInput } from "../../run/observer.ts";
import { createRedactor, type GivenSecret, type Redactor } from "../redaction/index.ts";
import { pieceText } from "../tape/pieces.ts";
import { TapeWriter } from "../tape/writer.ts";
import { ownWorkerId } from "../worker.ts";
import { findRunOfSession } from "./earlier.ts";
import { Gate } from "./gate.ts";
import type { RecordedParts } from "./hidden.ts";
import { Outbox, type Written } from "./outbox.ts";
import type { RecorderLog } from "./recorder-log.ts";
import { RecordingError } from "./recording-error.ts";
import { RecordingLimit } from "./recording-limit.ts";
import { secretsOf } from "./request-secrets.ts";
import { type Opening, RunWriter } from "./run-writer.ts";

export interface RecorderOptions extends RecordedParts {
  log: RecorderLog;
  /** Secrets only the caller knows; common kinds of keys are known. */
  secrets?: readonly GivenSecret[];
  /** The task the runs serve; that of the run it goes on from, or a new one, when absent. */
  task_id?: string;
  /** The conversation; that of the run it goes on from, or a new one, when absent. */
  session_id?: string;
  kind?: string;
  /** The run whose tape is read again into the first one. */
  renormalized_from_run_id?: string;
  worker_id?: string;
  /** Types of events that somebody waits to see durable in full, as `onWritten` tells; all of them when absent. */
  awaited?: (type: AgentEvent["type"]) => boolean;
  /** Whether raw lines are kept beside the events; they are unless this says no. */
  record_tape?: boolean;
  /** How much is recorded of the process, in bytes of events and raw lines; beyond it, little more than its end. */
  max_recorded_bytes?: number;
  now?: () => number;
}

export interface Recorded {
  /** The runs that were written, the first one first. */
  run_ids: string[];
  /** Why it is not all there. */
  failure?: RecordingError;
}

type SessionStart = Extract<AgentEvent, { type: "session_start" }>;

/**
 * Writes what one agent process does to the log: its run, those that follow in the same process, and those of its
 * subagents. Everything is redacted first. Nothing here throws for a log that fails: `failure` says so, `onFailure` at once.
 */
export class Recorder implements Required<Omit<RunObserver, "onEnd">> {
  failure: RecordingError | undefined;
  onFailure: ((error: RecordingError) => void) | undefined;
  /** Whether events come by `onEvent`. */
  isObserving = false;
  /** Events so far. */
  #count = 0;
  readonly #options: RecorderOptions;
  readonly #outbox: Outbox;
  readonly #limit: RecordingLimit;
  readonly #now: () => number;
  #task_id: string;
  readonly #worker_id: string;
  #redactor: Redactor;
  /** By bare run id. */
  readonly #writers = new Map<string, RunWriter>();
  /** Events of runs whose session has not been told yet. */
  readonly #early = new Map<string, AgentEvent[]>();
  #main: { writer: RunWriter; session_id: string; native: string | undefined } | undefined;
  #tape: TapeWriter | undefined;
  /** Said after one run and before the next. */
  readonly #between: (UserInput & { at: number })[] = [];
  /** Closed while an earlier run is looked for. */
  readonly #gate = new Gate();
  #isDone = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#limit = new RecordingLimit(options.max_recorded_bytes);
    this.#task_id = options.task_id ?? prefixed("task", newUlid());
    this.#worker_id = options.worker_id ?? ownWorkerId();
    this.#redactor = createRedactor(options.secrets);
    this.#outbox = new Outbox(options.log, (error) => this.#fail(error));
  }

  /** Told what became durable; `reached` counts the events, in the order in which they came, that did so in full. */
  set onWritten(listener: (written: Written) => void) {
    this.#outbox.onWritten = listener;
  }

  /** Resolves when the run is in the log, so that the agent starts after that. */
  async onStart(start: RunStart): Promise<void> {
    this.#start(start);
    await this.written();
  }

  /** Resolves when all that came so far is durable, or was refused; tape apart, and what may yet become a secret. */
  async written(): Promise<void> {
    while (this.#gate.closed) await this.#gate.closed;
    await this.#outbox.written();
  }

  #start({ runId, agent, request, dialect, stream, environment }: RunStart): void {
    if (this.#isDone) return;
    const at = this.#now();
    this.#redactor = createRedactor([
      ...(this.#options.secrets ?? []),
      ...secretsOf({ request, ...(environment && { environment }) }),
    ]);
    const native = request.fork ?? request.resume;
    const opening: Opening = {
      at,
      model: request.model,
      workspace_path: request.cwd,
      prompt: request.prompt,
      attachments: request.attachments?.map(({ name, mimeType }) => ({
        kind: mimeType.startsWith("image/") ? "image" : "file",
        mime: mimeType,
        name,
      })),
    };
    this.#openMain(runId, agent, opening, native, request.fork === undefined ? "resume" : "fork");
    if (this.#options.record_tape === false) return;
    this.#gate.do(() => {
      const run_id = prefixed("run", runId);
      this.#tape = new TapeWriter({
        ...this.#options,
        limit: this.#limit,
        run_id,
        outbox: this.#outbox,
        redactor: this.#redactor,
      });
      this.#tape.start(at, { agent, dialect, stream, request });
    });
  }

  onUserInput(input: UserInput): void {
    if (this.#isDone) return;
    const at = this.#now();
    this.#gate.do(() => {
      if (!this.#main || this.#main.writer.hasEnded) this.#between.push({ ...input, at });
      else this.#main.writer.said(input.text, input.via, at, input.interactionId);
    });
  }

  onLine(line: WireLine): void {
    if (this.#isDone) return;
    const at = this.#now();
    this.#gate.do(() => this.#tape?.line({ from: line.from, text: pieceText(line), at }));
  }

  /** As an observer of the run it needs no other hand; then only `room` is to be waited for. */
  onEvent(event: AgentEvent): void {
    this.isObserving = true;
    this.add(event);
  }

  /** The next event of any of the process's runs. */
  add(event: AgentEvent): void {
    if (this.failure || this.#isDone) return;
    if (this.#gate.closed) this.#gate.do(() => this.#take(event));
    else this.#take(event);
  }

  /** What to wait for before the next event; undefined is nothing. */
  room(): Promise<void> | undefined {
    return this.#gate.closed ?? this.#outbox.room();
  }

  /**
   * Nothing more comes, and nothing more is taken. Runs that did not end are closed; resolves when all is durable, or was
   * refused.
   */
  async close(): Promise<Recorded> {
    this.#isDone = true;
    while (this.#gate.closed) await this.#gate.closed;
    for (const runId of [...this.#early.keys()]) this.#openEarly(runId);
    for (const { text, via, at, interactionId } of this.#between.splice(0)) {
      this.#main?.writer.said(text, via, at, interactionId);
    }
    for (const writer of this.#writers.values()) {
      writer.finish(this.#now());
      writer.breakOff(this.#now(), incompleteRun);
    }
    this.#tape?.end();
    this.#outbox.reached(this.#count);
    await this.#outbox.flush();
    const run_ids = [...this.#writers.values()].map(({ run_id }) => run_id);
    return { run_ids, ...(this.failure && { failure: this.failure }) };
  }

  #take(event: AgentEvent): void {
    try {
      this.#add(event);
      this.#count += 1;
      if (!this.#isHolding()) this.#outbox.reached(this.#count);
    } catch (error) {
      // A fault of ours: what follows would have a hole before it.
      this.#fail(error as Error);
    }
  }

  /** Whether something of an event that came is not on its way yet. */
  #isHolding(): boolean {
    if (this.#early.size > 0 || this.#gate.closed) return true;
    const { awaited = () => true } = this.#options;
    for (const writer of this.#writers.values()) if (writer.isHolding(awaited)) return true;
    return false;
  }

  #fail(error: Error): void {
    if (this.failure) return;
    this.failure = new RecordingError(error);
    this.onFailure?.(this.failure);
  }

  #add(event: AgentEvent): void {
    const writer = this.#writers.get(event.runId);
    if (writer) writer.event(event);
    else if (event.type === "session_start") this.#begin(event);
    else this.#keep(event);
    if (writer && writer === this.#main?.writer && event.type === "session_start") this.#main.native = event.sessionId;
  }

  /** A run that nobody announced begins with its session; what came before that follows its frame. */
  #begin(start: SessionStart): void {
    const early = this.#early.get(start.runId) ?? [];
    this.#early.delete(start.runId);
    const opening: Opening = { at: early[0]?.timestamp ?? start.timestamp };
    if (start.parentRunId === undefined) {
      const native = start.forkedFrom ?? (start.resumed ? start.sessionId : undefined);
      const isSame = native !== undefined && native === this.#main?.native;
      this.#openMain(
        start.runId,
        start.agent,
        opening,
        native,
        start.forkedFrom ? "fork" : isSame ? "continue" : "resume",
      );
    } else {
      this.#open(start.runId, start.agent, { ...opening, parent_run_id: prefixed("run", start.parentRunId) });
    }
    for (const event of [...early, start]) this.#gate.do(() => this.#add(event));
  }

  #keep(event: AgentEvent): void {
    const early = this.#early.get(event.runId) ?? [];
    this.#early.set(event.runId, early);
    early.push(event);
    // A stream that never tells its session is written all the same.
    if (early.length > 100) this.#openEarly(event.runId);
  }

  #openEarly(runId: string): void {
    const early = this.#early.get(runId) ?? [];
    this.#early.delete(runId);
    const [first] = early;
    if (!first) return;
    this.#open(runId, first.agent, { at: first.timestamp });
    for (const event of early) this.#writers.get(runId)?.event(event);
  }

  /** A run of the agent itself. One that goes on from another waits until that is found in the log. */
  #openMain(runId: string, agent: string, opening: Opening, native: string | undefined, reason: string): void {
    const open = (run?: RunRecord) => {
      const isFirst = this.#main === undefined;
      const renormalized_from_run_id = isFirst ? this.#options.renormalized_from_run_id : undefined;
      const session_id =
        (isFirst ? this.#options.session_id : undefined) ??
        (reason === "fork" ? undefined : run?.session_id) ??
        prefixed("session", newUlid());
      const earlier = run && { run, reason };
      if (isFirst && run && reason !== "fork") this.#task_id = this.#options.task_id ?? run.task_id;
      const writer = this.#open(runId, agent, { ...opening, earlier, renormalized_from_run_id }, session_id);
      this.#main = { writer, session_id, native: undefined };
      for (const { text, via, at, interactionId } of this.#between.splice(0)) writer.said(text, via, at, interactionId);
    };
    if (native === undefined) this.#gate.do(() => open());
    else this.#gate.do(() => this.#gate.closeUntil(this.#findRunOf(agent, native), open));
  }

  /** The earlier run may be one of ours that is still on its way. */
  async #findRunOf(agent: string, native: string): Promise<RunRecord | undefined> {
    await this.#outbox.flush();
    return findRunOfSession(this.#options.log, agent, native);
  }

  #open(runId: string, agent: string, opening: Opening, session_id?: string): RunWriter {
    const run_id = prefixed("run", runId);
    const { kind = "agent" } = this.#options;
    const create = { task_id: this.#task_id, agent, kind, ...(session_id !== undefined && { session_id }) };
    const parts = { outbox: this.#outbox, redactor: this.#redactor, worker_id: this.#worker_id, limit: this.#limit };
    const writer = new RunWriter({ ...this.#options, ...parts, run_id, create }, opening);
    this.#writers.set(runId, writer);
    return writer;
  }
}

const newUlid = createUlidSource();
