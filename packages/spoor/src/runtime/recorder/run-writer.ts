import type { AgentEvent } from "@spoor/protocol";
import { unprefixed } from "@spoor/protocol/ids";
import {
  createEncoder,
  createOutcomeTracker,
  type Encoder,
  type Outcome,
  outcomeOf,
  type RunFailure,
} from "@spoor/protocol/write";
import type { Effect } from "../../log/effects.ts";
import type { LogDraft } from "../../log/log.ts";
import type { NewRun, RunExecutor, RunFacts } from "../../log/records.ts";
import type { BudgetMeter } from "../../run/budget-meter.ts";
import type { UserInput } from "../../run/observer.ts";
import { RunCosts } from "../budgets/run-costs.ts";
import type { ApprovalTerms, AskingRule } from "../projections/approval-request.ts";
import { effectsOf, type ProjectedRun } from "../projections/index.ts";
import { givenBack } from "../projections/queue.ts";
import { draftOf, withRedactedPaths } from "../redaction/drafts.ts";
import type { RecordedParts } from "../redaction/hide-parts.ts";
import type { EventRedactor, Redactor } from "../redaction/index.ts";
import { Acknowledgements, endOfCommand, type TakenCommand, toldBy } from "./acknowledgements.ts";
import { ApprovalDrafts } from "./approval-drafts.ts";
import { type ChangeDrafts, type StoredPatch, withPatch } from "./change-source.ts";
import { Checkpoints } from "./checkpoints.ts";
import { createCloser } from "./closer.ts";
import { type AddedFields, withFields } from "./content-source.ts";
import { statusAfter, withPolicy } from "./draft-facts.ts";
import { type Opening, type OwnEvent, openingOf, priorCostOf, promptEvents } from "./opening.ts";
import type { Outbox } from "./outbox.ts";
import { isAlwaysRecorded, type RecordingLimit } from "./recording-limit.ts";
import { RunFactsTracker } from "./run-facts.ts";
import { createSelection } from "./selection.ts";
import type { StoredPart } from "./taken-up.ts";

export interface RunWriterOptions extends RecordedParts {
  run_id: string;
  create: NewRun;
  outbox: Outbox;
  redactor: Redactor;
  worker_id: string;
  limit: RecordingLimit;
  /** What performs the run. */
  executor?: RunExecutor | undefined;
  /** Set if approvals can be answered from anywhere: each is then a durable record. */
  approvals?: ApprovalTerms | undefined;
  /** The budget of the task. */
  budget?: BudgetMeter | undefined;
  /** Whether our own loop performs the run: see `RecorderOptions`. */
  is_own_loop?: boolean | undefined;
}

/** Writes one run: its opening events, the agent's events as envelopes, the user's input, and its one terminal event. */
export class RunWriter {
  readonly run_id: string;
  hasEnded = false;
  readonly #options: RunWriterOptions;
  readonly #select: (event: AgentEvent) => AgentEvent | undefined;
  readonly #redactor: EventRedactor;
  readonly #encoder: Encoder;
  readonly #outcome = createOutcomeTracker();
  readonly #closer = createCloser();
  readonly #facts = new RunFactsTracker();
  readonly #checkpoints = new Checkpoints();
  readonly #costs: RunCosts;
  readonly #startedAt: number;
  readonly #approvals: ApprovalDrafts | undefined;
  readonly #acknowledgements = new Acknowledgements();
  /** The rule that allowed or blocked each call. */
  readonly #policies = new Map<string, string>();
  /** Who cancelled the run, and why. */
  #cancelled: TakenCommand | undefined;
  /** Whether the run is one of a task, which somebody queued. */
  readonly #isOfTask: boolean;
  /** Whether Spoor performs the run, so that another run can go on from it. Our own loop tells its checkpoints itself. */
  readonly #hasCheckpoints: boolean;
  readonly #place: Pick<ProjectedRun, "workspace_path">;
  #hasWrittenLimit = false;
  #patch: StoredPatch | undefined;
  #fields: AddedFields = {};

  /** `stored` is what the log holds already of a run that this process takes up. */
  constructor(options: RunWriterOptions, opening: Opening, stored?: StoredPart) {
    this.run_id = options.run_id;
    this.#options = options;
    this.#select = createSelection(options);
    this.#redactor = options.redactor.events();
    this.#encoder = createEncoder({ startsAreTold: options.is_own_loop === true });
    this.#startedAt = stored?.startedAt ?? opening.at;
    this.#costs = new RunCosts(this.run_id, priorCostOf(opening), options.budget);
    const { create, approvals } = options;
    const names = { run_id: this.run_id, task_id: create.task_id ?? "" };
    this.#approvals = approvals && new ApprovalDrafts(names, { cwd: opening.workspace_path, ...approvals });
    this.#isOfTask = stored !== undefined;
    const isPerformed = options.executor !== undefined && opening.parent_run_id === undefined;
    this.#hasCheckpoints = isPerformed && !options.is_own_loop;
    this.#place = { workspace_path: opening.workspace_path };
    if (stored) this.#continue(stored, opening);
    else this.#open(opening);
  }

  /** `patch` is the stored patch of a file whose change the event tells; `fields` are added to the event's envelopes. */
  event(event: AgentEvent, patch?: StoredPatch, fields: AddedFields = {}): void {
    const selected = this.#select(event);
    if (!selected) return;
    this.#patch = patch;
    this.#fields = fields;
    for (const redacted of this.#redactor.redact(selected)) this.#write(redacted);
    this.#patch = undefined;
    this.#fields = {};
  }

  /** Writes what was found about changed files. */
  changes({ drafts, effects }: Pick<ChangeDrafts, "drafts" | "effects">, at: number): void {
    if (this.#options.limit.isReached) return;
    const written = drafts.map(({ type, data }) => draftOf(type, at, data, this.#options.redactor));
    this.#options.limit.add(written.map(({ json }) => json));
    this.#options.outbox.add(this.run_id, { drafts: written, effects: [...effects] });
  }

  /** Number of the current turn, from 1; 0 before the first. */
  get turns(): number {
    return this.#facts.turns;
  }

  /** Whether text of an event of these types is held back because it may be part of a secret. */
  isHolding(matters: (type: AgentEvent["type"]) => boolean): boolean {
    return this.#redactor.isHolding(matters);
  }

  /** A rule asks this question, which comes next. */
  askedBy(approval_id: string, rule: AskingRule): void {
    this.#approvals?.askedBy(approval_id, rule);
  }

  /** The decision about this approval is in the log already. */
  decided(approval_id: string): void {
    this.#approvals?.decided(approval_id);
  }

  /** A rule decided about a call, or a person did. A call that is allowed starts now, before the agent is told. */
  judged(toolCallId: string, policy_id: string | undefined, isAllowed: boolean, at: number, held: object = {}): void {
    if (policy_id !== undefined) this.#policies.set(toolCallId, policy_id);
    if (isAllowed) this.#addDrafts(withFields(this.#encoder.startText(toolCallId, at), { "tool.started": held }));
  }

  /** The command ends with the next event of this type, in the same commit. */
  expect(type: string, command: TakenCommand): void {
    this.#acknowledgements.expect(type, command);
    if (type === "run.aborted") this.#cancelled = command;
  }

  /** The command was refused, so no event ends it. */
  forget(command_id: string): void {
    this.#acknowledgements.forget(command_id);
    if (this.#cancelled?.command_id === command_id) this.#cancelled = undefined;
  }

  /** Ends a command that needs no event, or that the run cannot carry out. */
  endCommand(command_id: string, outcome: "done" | "refused", detail?: string): void {
    this.#options.outbox.add(this.run_id, { drafts: [], effects: [endOfCommand(command_id, outcome, detail)] });
  }

  userInput({ text, via, interactionId: interaction_id }: UserInput, at: number, command?: TakenCommand): void {
    const about = { ...(interaction_id !== undefined && { interaction_id }), ...(command && toldBy(command)) };
    const data = { turn_index: this.#facts.turns, text, via, ...about };
    if (command) this.endCommand(command.command_id, "done");
    // A run that has ended accepts no `user.message`.
    if (this.hasEnded) this.#add([["debug.message", { level: "info", message: `Said after the end: ${text}` }]], at);
    else this.#add([["user.message", data]], at);
  }

  /** Writes an event of Spoor's own that needs nothing else. */
  own(event: OwnEvent, at: number): void {
    if (!this.hasEnded) this.#add([event], at);
  }

  /** No more events follow: writes what was held back. */
  finish(at: number): void {
    for (const event of this.#redactor.flush(at)) this.#write(event);
  }

  /** Ends a run that did not end by itself: closes open spans and writes the failure. Does nothing once the run has ended. */
  breakOff(at: number, failure: RunFailure): void {
    if (this.hasEnded) return;
    const { agent } = this.#options.create;
    const base = { runId: unprefixed("run", this.run_id), agent, timestamp: at };
    for (const event of this.#closer.close(base, failure.message)) this.#write(event, outcomeOf(failure));
  }

  #open(opening: Opening): void {
    const { create, outbox } = this.#options;
    const { events, facts } = openingOf(opening, this.#options);
    outbox.add(this.run_id, { create, drafts: [], facts });
    this.#add(events, opening.at);
  }

  /** Everything that depends on earlier events goes on from the stored ones. */
  #continue({ events, startedCalls, hasPrompt }: StoredPart, opening: Opening): void {
    for (const event of events) {
      this.#outcome.add(event);
      this.#closer.add(event);
      this.#facts.add(event, this.#encoder.encodeText(event));
    }
    for (const toolCallId of startedCalls) this.#encoder.startText(toolCallId, opening.at);
    const { worker_id, executor } = this.#options;
    this.#options.outbox.add(this.run_id, { drafts: [], facts: { worker_id, ...(executor && { executor }) } });
    if (!hasPrompt) this.#add(promptEvents(opening), opening.at);
  }

  #write(event: AgentEvent, broken?: Outcome): void {
    this.#outcome.add(event);
    if (!this.#options.limit.isReached || this.hasEnded || broken) this.#store(event, broken);
    else this.#writeBeyondLimit(event);
  }

  /** Leaves out most events. Open spans are closed before the event that ends the run. */
  #writeBeyondLimit(event: AgentEvent): void {
    const { bytes, recorded } = this.#options.limit;
    if (!this.#hasWrittenLimit) {
      this.#hasWrittenLimit = true;
      const data = { limit_bytes: bytes, recorded_bytes: recorded, message: LIMIT_MESSAGE };
      this.#add([["gap.recording_limited", data]], event.timestamp);
    }
    if (!isAlwaysRecorded(event)) return;
    const { runId, agent, timestamp } = event;
    const closing = event.type === "cost" ? [] : this.#closer.close({ runId, agent, timestamp }, LIMIT_MESSAGE);
    for (const each of closing) if (each.type !== "session_end") this.#store(each);
    this.#store(event.type === "session_end" ? (closing.at(-1) ?? event) : event);
  }

  #store(event: AgentEvent, broken?: Outcome): void {
    this.#closer.add(event);
    const encoded: LogDraft[] = this.#encoder.encodeText(event);
    const drafts = withFields(this.#patch ? withPatch(encoded, this.#patch) : encoded, this.#fields);
    if (this.#redactor.hasRedacted) for (const draft of drafts) draft.json = withRedactedPaths(draft.json);
    this.#options.limit.add(drafts.map(({ json }) => json));
    this.#facts.add(event, drafts);
    if (event.type === "turn_end" || event.type === "cost") this.#costs.addTo(drafts, this.#facts.cost);
    const end = event.type === "session_end" && !this.hasEnded ? this.#end(event.timestamp, broken) : undefined;
    const isCompleted = end?.facts.status === "completed";
    if (this.#hasCheckpoints) this.#add(this.#checkpoints.before(event, this.turns, isCompleted), event.timestamp);
    this.#addDrafts(drafts, event);
    if (end) this.#addEnd(end);
  }

  /** Writes the terminal event. A run of a task gives back what it held. */
  #addEnd({ draft, facts }: { draft: LogDraft; facts: RunFacts }): void {
    const { create, outbox } = this.#options;
    const effects: Effect[] = this.#acknowledgements.refuseRest("run_over: The run ended first.");
    if (!this.#isOfTask) {
      outbox.add(this.run_id, { drafts: [draft], facts, effects });
      return;
    }
    const run = { run_id: this.run_id, task_id: create.task_id ?? "", kind: create.kind, ...this.#place };
    const updated = { ...draft, type: "task.updated", json: JSON.stringify({ status: facts.status }) };
    effects.push(...effectsOf([draft], run));
    outbox.add(this.run_id, { drafts: [draft, updated], facts, effects });
  }

  /** Completes drafts with what the events themselves do not say, and adds the rows that change with them. */
  #addDrafts(drafts: readonly LogDraft[], event?: AgentEvent): void {
    const ruled = this.#policies.size > 0 ? drafts.map((draft) => withPolicy(draft, this.#policies)) : drafts;
    const approved = (event && this.#approvals?.complete(event, ruled)) ?? { drafts: ruled };
    const acknowledged = this.#acknowledgements.complete(approved.drafts);
    const effects: Effect[] = [...(approved.effects ?? []), ...acknowledged.effects];
    if (this.#options.is_own_loop) effects.push(...givenBack(this.run_id, acknowledged.drafts, this.#options.create));
    this.#options.outbox.add(this.run_id, { ...approved, drafts: acknowledged.drafts, told: drafts, effects });
  }

  /** Returns the terminal run event, and the changes of the run's row that go with it. */
  #end(at: number, broken: Outcome | undefined): { draft: LogDraft; facts: RunFacts } {
    this.hasEnded = true;
    const { turns, cost } = this.#facts;
    const { type, data } = broken ?? this.#outcome.outcome();
    const totals = {
      turns,
      ...(cost !== undefined && { cost_micros_usd: cost }),
      duration_ms: Math.max(0, at - this.#startedAt),
    };
    const error_code = typeof data.code === "string" ? { error_code: data.code } : {};
    const { reason, by } = (type === "run.cancelled" && this.#cancelled && toldBy(this.#cancelled)) || {};
    const told = { ...(reason !== undefined && { reason }), ...(by !== undefined && { by }) };
    const draft = draftOf(type, at, { ...data, ...told, ...totals }, this.#options.redactor);
    // Its message may repeat text of earlier events, which is redacted there already.
    if (this.#redactor.hasRedacted) draft.json = withRedactedPaths(draft.json);
    return { draft, facts: { status: statusAfter[type], ended_at: at, turns, ...error_code } };
  }

  #add(events: readonly OwnEvent[], at: number): void {
    if (events.length === 0) return;
    const drafts = events.map(([type, data]) => draftOf(type, at, data, this.#options.redactor));
    this.#options.outbox.add(this.run_id, { drafts });
  }
}

const LIMIT_MESSAGE =
  "The run reached its recording limit, so only its costs and its end are recorded from here on. Raise --max-recorded to record more.";
