import type { AgentEvent } from "@spoor/protocol";
import { createUlidSource, prefixed, unprefixed } from "@spoor/protocol/ids";
import { incompleteRun } from "@spoor/protocol/write";
import type { RunExecutor, StoredRun } from "../../log/records.ts";
import type { BudgetMeter } from "../../run/budget-meter.ts";
import type { UserInput } from "../../run/observer.ts";
import { taskCost } from "../budgets/task-cost.ts";
import type { ApprovalTerms } from "../projections/approval-request.ts";
import type { RecordedParts } from "../redaction/hide-parts.ts";
import type { Redactor } from "../redaction/index.ts";
import type { TakenCommand } from "./acknowledgements.ts";
import type { ChangeDrafts, ChangePlace, StoredPatch } from "./change-source.ts";
import type { AddedFields } from "./content-source.ts";
import { findRunOfSession } from "./earlier.ts";
import type { Gate } from "./gate.ts";
import { type Opening, type OwnEvent, writeInTurn } from "./opening.ts";
import type { Outbox } from "./outbox.ts";
import type { RecorderLog } from "./recorder-log.ts";
import type { RecordingLimit } from "./recording-limit.ts";
import { RunWriter } from "./run-writer.ts";
import type { StoredPart, TakenUpRun } from "./taken-up.ts";

export interface RunWritersOptions extends RecordedParts {
  log: RecorderLog;
  outbox: Outbox;
  limit: RecordingLimit;
  /** Closed while an earlier run is looked up. */
  gate: Gate;
  worker_id: string;
  redactor: Redactor;
  task_id?: string | undefined;
  session_id?: string | undefined;
  kind?: string | undefined;
  executor?: RunExecutor | undefined;
  approvals?: ApprovalTerms | undefined;
  is_own_loop?: boolean | undefined;
  renormalized_from_run_id?: string | undefined;
}

/** The agent's own session that a run continues, and in which way. */
export interface Continued {
  native: string;
  reason: "resume" | "fork" | "continue";
}

type SessionStart = Extract<AgentEvent, { type: "session_start" }>;

/** A stream that sends no `session_start` is written after this many events. */
const MAX_EARLY_EVENTS = 100;

/** Opens a writer for each run of one agent process: its own runs, one after the other, and those of its subagents. */
export class RunWriters {
  /** Replaced when the run's request is known, because the request holds secrets. */
  redactor: Redactor;
  /** The budget of the task, for all its runs. */
  budget: BudgetMeter | undefined;
  readonly #options: RunWritersOptions;
  #task_id: string;
  /** Writers by run id, without the prefix `run_`. */
  readonly #writers = new Map<string, RunWriter>();
  /** Events of runs whose `session_start` has not arrived. */
  readonly #early = new Map<string, AgentEvent[]>();
  #main: { writer: RunWriter; session_id: string; native: string | undefined } | undefined;
  /** The user's input between one run and the next. */
  readonly #between: { input: UserInput; at: number; command: TakenCommand | undefined }[] = [];

  constructor(options: RunWritersOptions) {
    this.#options = options;
    this.redactor = options.redactor;
    this.#task_id = options.task_id ?? prefixed("task", newUlid());
  }

  get run_ids(): string[] {
    return [...this.#writers.values()].map(({ run_id }) => run_id);
  }

  /** Whether part of an event of these types has not been passed to the log yet. */
  isHolding(awaited: (type: AgentEvent["type"]) => boolean): boolean {
    if (this.#early.size > 0) return true;
    for (const writer of this.#writers.values()) if (writer.isHolding(awaited)) return true;
    return false;
  }

  add(event: AgentEvent, patch?: StoredPatch, fields?: AddedFields): void {
    const writer = this.#writers.get(event.runId);
    if (writer) writer.event(event, patch, fields);
    else if (event.type === "session_start") this.#begin(event);
    else this.#keep(event);
    if (writer && writer === this.#main?.writer && event.type === "session_start") this.#main.native = event.sessionId;
  }

  /** Where the changes of a call are told: in its own run, or else in the main one. */
  placeOf(runId: string | undefined, at: number): ChangePlace {
    const writer = this.#writerOf(runId);
    const place = { run_id: writer?.run_id ?? "", task_id: this.#task_id, turn_index: writer?.turns ?? 0, at };
    return { ...place, redact: (text) => this.redactor.redact(text) };
  }

  changes(runId: string | undefined, changes: Pick<ChangeDrafts, "drafts" | "effects">, at: number): void {
    this.#writerOf(runId)?.changes(changes, at);
  }

  /** Writes events of Spoor's own about a turn of a run. */
  own(runId: string, events: readonly OwnEvent[], at: number): void {
    const writer = this.#writerOf(runId);
    if (writer) writeInTurn(writer, events, at);
  }

  #writerOf(runId: string | undefined): RunWriter | undefined {
    return this.#writers.get(runId ?? "") ?? this.#main?.writer;
  }

  userInput(input: UserInput, at: number, command?: TakenCommand): void {
    if (!this.#main || this.#main.writer.hasEnded) this.#between.push({ input, at, command });
    else this.#main.writer.userInput(input, at, command);
  }

  /** The writer of a run; undefined if the run has not begun. */
  writerOf(run_id: string): RunWriter | undefined {
    return this.#writers.get(unprefixed("run", run_id));
  }

  /** What the task had cost before the main run, in millionths of a dollar. */
  async costBefore(): Promise<number> {
    await this.#options.outbox.flush();
    return (await taskCost(this.#options.log, this.#task_id, this.#main?.writer.run_id)).micros;
  }

  /** Writes what is held back. */
  flush(at: number): void {
    for (const writer of this.#writers.values()) writer.finish(at);
  }

  /** Writes what is held back, and ends the runs that did not end. */
  finish(at: number): void {
    for (const runId of [...this.#early.keys()]) this.#openEarly(runId);
    if (this.#main) this.#writeBetween(this.#main.writer);
    for (const writer of this.#writers.values()) {
      writer.finish(at);
      writer.breakOff(at, incompleteRun);
    }
  }

  /** Opens a run of the agent itself. A run that continues another waits until that one is found in the log. */
  openMain(runId: string, agent: string, opening: Opening, continued?: Continued): void {
    const { gate, renormalized_from_run_id, session_id, task_id } = this.#options;
    const open = (run?: StoredRun) => {
      const isFirst = this.#main === undefined;
      const shared = continued?.reason === "fork" ? undefined : run;
      const session = (isFirst ? session_id : undefined) ?? shared?.session_id ?? prefixed("session", newUlid());
      if (isFirst && shared) this.#task_id = task_id ?? shared.task_id;
      const earlier = run && continued && { run, reason: continued.reason };
      const origin = isFirst ? renormalized_from_run_id : undefined;
      const writer = this.#open(runId, agent, { ...opening, earlier, renormalized_from_run_id: origin }, session);
      this.#main = { writer, session_id: session, native: undefined };
      this.#writeBetween(writer);
    };
    gate.do(() => {
      if (continued) gate.closeUntil(this.#findRunOf(agent, continued.native), open);
      else open();
    });
  }

  /** Continues a run that is in the log already. */
  takeUp(runId: string, { run, epoch }: TakenUpRun, part: StoredPart, opening: Opening): void {
    const { kind, agent, session_id = prefixed("session", newUlid()) } = run;
    this.#task_id = run.task_id;
    this.#options.outbox.setEpoch(run, epoch, part.facts);
    const create = { task_id: run.task_id, agent, kind, session_id };
    const { redactor, budget } = this;
    const options = { ...this.#options, redactor, budget, run_id: run.run_id, create };
    const { prior_cost_micros_usd } = run;
    const writer = new RunWriter(options, { ...opening, prior_cost_micros_usd }, part);
    this.#writers.set(runId, writer);
    this.#main = { writer, session_id, native: run.native_session_id };
    this.#writeBetween(writer);
  }

  /** Opens a run that was not announced. Events that came before its `session_start` follow its opening. */
  #begin(start: SessionStart): void {
    const early = this.#early.get(start.runId) ?? [];
    this.#early.delete(start.runId);
    const opening: Opening = { at: early[0]?.timestamp ?? start.timestamp };
    if (start.parentRunId === undefined) {
      this.openMain(start.runId, start.agent, opening, this.#continuedBy(start));
    } else {
      this.#open(start.runId, start.agent, { ...opening, parent_run_id: prefixed("run", start.parentRunId) });
    }
    for (const event of [...early, start]) this.#options.gate.do(() => this.add(event));
  }

  #continuedBy({ forkedFrom, resumed, sessionId }: SessionStart): Continued | undefined {
    if (forkedFrom !== undefined) return { native: forkedFrom, reason: "fork" };
    if (!resumed) return undefined;
    return { native: sessionId, reason: sessionId === this.#main?.native ? "continue" : "resume" };
  }

  #keep(event: AgentEvent): void {
    const early = this.#early.get(event.runId) ?? [];
    this.#early.set(event.runId, early);
    early.push(event);
    if (early.length > MAX_EARLY_EVENTS) this.#openEarly(event.runId);
  }

  #openEarly(runId: string): void {
    const early = this.#early.get(runId) ?? [];
    this.#early.delete(runId);
    const [first] = early;
    if (!first) return;
    const writer = this.#open(runId, first.agent, { at: first.timestamp });
    for (const event of early) writer.event(event);
  }

  #writeBetween(writer: RunWriter): void {
    for (const { input, at, command } of this.#between.splice(0)) writer.userInput(input, at, command);
  }

  /** The earlier run may be one of this process that is not in the log yet. */
  async #findRunOf(agent: string, native: string): Promise<StoredRun | undefined> {
    await this.#options.outbox.flush();
    return findRunOfSession(this.#options.log, agent, native);
  }

  #open(runId: string, agent: string, opening: Opening, session_id?: string): RunWriter {
    const { kind = "agent" } = this.#options;
    const create = { task_id: this.#task_id, agent, kind, ...(session_id !== undefined && { session_id }) };
    const run_id = prefixed("run", runId);
    const { redactor, budget } = this;
    const writer = new RunWriter({ ...this.#options, redactor, budget, run_id, create }, opening);
    this.#writers.set(runId, writer);
    return writer;
  }
}

const newUlid = createUlidSource();
