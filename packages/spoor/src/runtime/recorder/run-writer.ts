import type { AgentEvent } from "@spoor/protocol";
import { unprefixed } from "@spoor/protocol/ids";
import { createEncoder, createOutcomeTracker, type Outcome, outcomeOf, type RunFailure } from "@spoor/protocol/write";
import type { LogDraft } from "../../log/log.ts";
import type { NewRun, RunFacts, RunStatus, StoredRun } from "../../log/records.ts";
import type { UserInput } from "../../run/observer.ts";
import { draftOf, withRedactedPaths } from "../redaction/drafts.ts";
import type { RecordedParts } from "../redaction/hide-parts.ts";
import type { EventRedactor, Redactor } from "../redaction/index.ts";
import { type ChangeDrafts, type StoredPatch, withPatch } from "./change-source.ts";
import { createCloser } from "./closer.ts";
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
}

export interface Opening {
  at: number;
  model?: string | undefined;
  workspace_path?: string | undefined;
  prompt?: string | undefined;
  attachments?: readonly { kind: string; mime?: string; name?: string }[] | undefined;
  parent_run_id?: string | undefined;
  /** The run that this one continues. */
  earlier?: { run: StoredRun; reason: string } | undefined;
  /** The run whose tape was read again to make this one. */
  renormalized_from_run_id?: string | undefined;
  /** How changes of files are found. */
  snapshots?: string | undefined;
}

/** Writes one run: its opening events, the agent's events as envelopes, the user's input, and its one terminal event. */
export class RunWriter {
  readonly run_id: string;
  hasEnded = false;
  readonly #options: RunWriterOptions;
  readonly #select: (event: AgentEvent) => AgentEvent | undefined;
  readonly #redactor: EventRedactor;
  readonly #encoder = createEncoder();
  readonly #outcome = createOutcomeTracker();
  readonly #closer = createCloser();
  readonly #facts = new RunFactsTracker();
  readonly #startedAt: number;
  #hasWrittenLimit = false;
  #patch: StoredPatch | undefined;

  /** `stored` is what the log holds already of a run that this process takes up. */
  constructor(options: RunWriterOptions, opening: Opening, stored?: StoredPart) {
    this.run_id = options.run_id;
    this.#options = options;
    this.#select = createSelection(options);
    this.#redactor = options.redactor.events();
    this.#startedAt = stored?.startedAt ?? opening.at;
    if (stored) this.#continue(stored, opening);
    else this.#open(opening);
  }

  /** `patch` is the stored patch of a file whose change the event tells. */
  event(event: AgentEvent, patch?: StoredPatch): void {
    const selected = this.#select(event);
    if (!selected) return;
    this.#patch = patch;
    for (const redacted of this.#redactor.redact(selected)) this.#write(redacted);
    this.#patch = undefined;
  }

  /** Writes what was found about changed files. */
  changes({ drafts, effects }: ChangeDrafts, at: number): void {
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

  userInput({ text, via, interactionId: interaction_id }: UserInput, at: number): void {
    const data = { turn_index: this.#facts.turns, text, via, ...(interaction_id !== undefined && { interaction_id }) };
    // A run that has ended accepts no `user.message`.
    if (this.hasEnded) this.#add([["debug.message", { level: "info", message: `Said after the end: ${text}` }]], at);
    else this.#add([["user.message", data]], at, interaction_id && this.#facts.answered(interaction_id));
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
    const { at, model, workspace_path, prompt, parent_run_id, earlier } = opening;
    const { renormalized_from_run_id, snapshots } = opening;
    const { create, worker_id, redactor, outbox } = this.#options;
    const prior = earlier?.run.run_id ?? renormalized_from_run_id;
    const setup = { ...(model && { model }), ...(workspace_path && { workspace_path }) };
    const links = {
      ...(prior !== undefined && { prior_run_id: prior }),
      ...(renormalized_from_run_id !== undefined && { renormalized_from_run_id }),
    };
    const frame: [type: string, data: Record<string, unknown>][] = [
      ["run.created", { kind: create.kind, agent: create.agent, status: "queued", ...setup, ...links }],
    ];
    if (earlier) frame.push(["run.resumed_from_event", resumedFrom(earlier)]);
    frame.push([
      "run.started",
      { worker_id, ...(snapshots && { snapshots }), ...(earlier && startedFrom(earlier.run)) },
    ]);
    frame.push(...promptEvents(opening));
    const title = prompt && titleOf(redactor.redact(prompt));
    const facts: RunFacts = {
      status: "running",
      worker_id,
      ...links,
      ...(earlier && priorCost(earlier.run)),
      ...(model && { model: redactor.redact(model) }),
      ...(workspace_path && { workspace_path: redactor.redact(workspace_path) }),
      ...(title && { title }),
      ...(parent_run_id !== undefined && { parent_run_id }),
    };
    outbox.add(this.run_id, { create, drafts: [], facts });
    this.#add(frame, at);
  }

  /** Everything that depends on earlier events goes on from the stored ones. */
  #continue({ events, hasPrompt }: StoredPart, opening: Opening): void {
    for (const event of events) {
      this.#outcome.add(event);
      this.#closer.add(event);
      this.#facts.of(event, this.#encoder.encodeText(event));
    }
    this.#options.outbox.add(this.run_id, { drafts: [], facts: { worker_id: this.#options.worker_id } });
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
    const drafts = this.#patch ? withPatch(encoded, this.#patch) : encoded;
    if (this.#redactor.hasRedacted) for (const draft of drafts) draft.json = withRedactedPaths(draft.json);
    this.#options.limit.add(drafts.map(({ json }) => json));
    const facts = this.#facts.of(event, drafts);
    const end = event.type === "session_end" && !this.hasEnded ? this.#end(event.timestamp, broken) : undefined;
    if (end)
      this.#options.outbox.add(this.run_id, { drafts: [...drafts, end.draft], facts: { ...facts, ...end.facts } });
    else this.#options.outbox.add(this.run_id, { drafts, ...(facts && { facts }) });
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
    const draft = draftOf(type, at, { ...data, ...totals }, this.#options.redactor);
    // Its message may repeat text of earlier events, which is redacted there already.
    if (this.#redactor.hasRedacted) draft.json = withRedactedPaths(draft.json);
    return {
      draft,
      facts: { status: statuses[type], ended_at: at, turns, ...error_code },
    };
  }

  #add(events: readonly [type: string, data: Record<string, unknown>][], at: number, facts?: RunFacts | ""): void {
    const drafts = events.map(([type, data]) => draftOf(type, at, data, this.#options.redactor));
    this.#options.outbox.add(this.run_id, { drafts, ...(facts && { facts }) });
  }
}

function promptEvents({ prompt, attachments = [] }: Opening): [type: string, data: Record<string, unknown>][] {
  return [
    ...(prompt ? [["user.message", { turn_index: 0, text: prompt, via: "prompt" }] as [string, object]] : []),
    ...attachments.map((each): [string, object] => ["user.attachment", { turn_index: 0, ...each }]),
  ] as [string, Record<string, unknown>][];
}

const LIMIT_MESSAGE =
  "The run reached its recording limit, so only its costs and its end are recorded from here on. Raise --max-recorded to record more.";

const statuses: Record<Outcome["type"], RunStatus> = {
  "run.finished": "completed",
  "run.failed": "failed",
  "run.cancelled": "cancelled",
};

const resumedFrom = ({ run, reason }: NonNullable<Opening["earlier"]>) => ({
  from_run_id: run.run_id,
  from_sequence: run.last_sequence,
  reason,
  ...priorCost(run),
});

/** The cost of the run and all runs it continues, as far as their agents reported one. */
function priorCost({ cost_micros_usd, prior_cost_micros_usd }: StoredRun): { prior_cost_micros_usd?: number } {
  if (cost_micros_usd === undefined && prior_cost_micros_usd === undefined) return {};
  return { prior_cost_micros_usd: (cost_micros_usd ?? 0) + (prior_cost_micros_usd ?? 0) };
}

const startedFrom = (run: StoredRun) => ({
  resume_from_run_id: run.run_id,
  resume_from_event_sequence: run.last_sequence,
});

/** Returns the first line that is not blank, cut to a length that fits in a list. */
function titleOf(prompt: string): string | undefined {
  const line = prompt
    .split("\n")
    .find((text) => text.trim() !== "")
    ?.trim();
  if (line === undefined) return undefined;
  return line.length > 120 ? `${line.slice(0, 119).toWellFormed()}…` : line;
}
