import { canonical } from "../envelope/aliases.ts";
import { isEnvelopeType } from "../envelope/catalog.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { passQuestions } from "./fold-approvals.ts";
import { handlers } from "./fold-handlers.ts";
import { put, text, when } from "./payload-fields.ts";
import { move } from "./run-state.ts";
import type { RunView } from "./types.ts";
import { add, createDraft, type Draft, viewOfDraft } from "./view-draft.ts";

export interface RunFoldOptions {
  /** Go on from this view instead of from nothing, also one that was stored or sent as JSON. It is not changed. */
  from?: RunView;
  /** Bytes of output kept of each shell; the middle of longer output is let go. */
  shellOutputLimit?: number;
}

export interface RunFold {
  /**
   * Takes in the next envelope and never throws. False when it is ignored: delivered before, of another run, or no
   * envelope at all.
   */
  fold(envelope: Envelope): boolean;
  /** The run as it is now: the same object until something changes. */
  snapshot(): RunView;
}

/**
 * Folds the envelopes of one run into what a screen shows of it.
 *
 * It is a builder with snapshots, not a step from view to view: a step would copy a list of thousands for each delta,
 * while here a delta costs the same however long the run and its message are, and the copying happens once per snapshot
 * and changed list. Take one per frame, not one per event. Between two snapshots unchanged items are the same objects.
 */
export function createRunFold({
  from = initialRunView(),
  shellOutputLimit = 256 * 1024,
}: RunFoldOptions = {}): RunFold {
  const draft = createDraft(from, shellOutputLimit);
  let current: RunView | undefined;

  return {
    fold(envelope) {
      if (!isNext(draft, envelope)) return false;
      stamp(draft, envelope);
      take(draft, envelope);
      current = undefined;
      return true;
    },
    snapshot() {
      current ??= viewOfDraft(draft);
      return current;
    },
  };
}

/** The view of a run whose envelopes are at hand. */
export function viewOf(envelopes: Iterable<Envelope>, options?: RunFoldOptions): RunView {
  const run = createRunFold(options);
  for (const envelope of envelopes) run.fold(envelope);
  return run.snapshot();
}

/** A run of which nothing is known yet. */
export function initialRunView(): RunView {
  return {
    state: "idle",
    status: "created",
    lastSequence: -1,
    turn: 0,
    todos: [],
    instructions: [],
    cost: { micros: 0, inputTokens: 0, outputTokens: 0 },
    limits: { compactions: 0 },
    debugOmitted: 0,
    timeline: [],
    prompts: [],
    attachments: [],
    turns: [],
    messages: [],
    thoughts: [],
    tools: [],
    shells: [],
    files: [],
    approvals: [],
    questions: [],
    subagents: [],
    images: [],
    errors: [],
    retries: [],
    gaps: [],
    notes: [],
    opaque: [],
    plugins: [],
    skills: [],
    artifacts: [],
    debug: [],
  };
}

/** Delivery is at least once, so what is not beyond the cursor was seen. */
function isNext({ run }: Draft, envelope: Envelope): boolean {
  if (typeof envelope !== "object" || envelope === null || typeof envelope.type !== "string") return false;
  if (!Number.isSafeInteger(envelope.sequence) || envelope.sequence <= run.lastSequence) return false;
  return run.runId === undefined || envelope.run_id === run.runId;
}

function stamp({ run }: Draft, envelope: Envelope): void {
  run.lastSequence = envelope.sequence;
  put(run, {
    runId: text(envelope.run_id),
    taskId: text(envelope.task_id),
    sessionId: text(envelope.session_id),
    createdAt: run.createdAt ?? when(envelope),
    updatedAt: when(envelope),
  });
}

function take(draft: Draft, received: Envelope): void {
  const envelope = readable(received);
  if (!isEnvelopeType(envelope.type)) {
    add(draft, "opaque", received);
    return;
  }
  passQuestions(draft, envelope.type);
  // Each handler takes the payload of its own type; which one it is only the name tells.
  const handle = handlers[envelope.type] as (draft: Draft, data: object, envelope: Envelope) => void;
  handle(draft, envelope.data, envelope);
  move(draft, envelope.type, envelope);
}

/** Under our names, with an object for data. An undotted name is no type of ours or of anyone's. */
function readable(envelope: Envelope): Envelope {
  const { data } = envelope;
  const isObject = typeof data === "object" && data !== null && !Array.isArray(data);
  const whole = isObject ? envelope : { ...envelope, data: {} };
  return envelope.type.includes(".") ? canonical(whole) : whole;
}
