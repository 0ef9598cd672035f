import { canonical } from "../envelope/aliases.ts";
import type { EnvelopeType } from "../envelope/catalog.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { passQuestions } from "./fold-approvals.ts";
import { handlers } from "./fold-handlers.ts";
import { put, text, when } from "./payload-fields.ts";
import { updateState } from "./run-state.ts";
import type { RunView } from "./types.ts";
import { add, createDraft, type Draft, viewOfDraft } from "./view-draft.ts";

/** Options of `createRunFold`. */
export interface RunFoldOptions {
  /** Continue from this view instead of an empty one. It may have been stored or sent as JSON, and is not changed. */
  from?: RunView;
  /** How many bytes of output each shell keeps. The middle of longer output is dropped. */
  shellOutputLimit?: number;
}

/** Builds the view of one run from its envelopes. */
export interface RunFold {
  /**
   * Applies the next envelope. Never throws. Returns false when the envelope is ignored: it was delivered before, belongs to
   * another run, or is not an envelope.
   */
  fold(envelope: Envelope): boolean;
  /** Returns the current view. It is the same object until something changes. */
  snapshot(): RunView;
}

/**
 * Creates a fold that turns the envelopes of one run into the view that a screen shows.
 *
 * It is a builder with snapshots and not a reducer from view to view: a reducer would copy lists of thousands of items for
 * each delta. Here a delta costs the same however long the run is, and lists are copied once per snapshot if they changed.
 * Take a snapshot per frame, not per event. Unchanged items are the same objects in two snapshots.
 *
 * @example
 * ```ts
 * import { createRunFold, type Envelope } from "@spoor/protocol";
 *
 * declare const envelopes: AsyncIterable<Envelope>;
 * const run = createRunFold();
 * for await (const envelope of envelopes) run.fold(envelope);
 * const { state, messages, cost } = run.snapshot();
 * console.log(state, messages.at(-1)?.text, cost.usd);
 * ```
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

/**
 * Folds a list of envelopes into the view of their run.
 *
 * @example
 * ```ts
 * import { type Envelope, viewOf } from "@spoor/protocol";
 *
 * declare const envelopes: Envelope[];
 * const { status, turns, tools } = viewOf(envelopes);
 * console.log(status, turns.length, tools.map(({ name, state }) => `${name}: ${state}`));
 * ```
 */
export function viewOf(envelopes: Iterable<Envelope>, options?: RunFoldOptions): RunView {
  const run = createRunFold(options);
  for (const envelope of envelopes) run.fold(envelope);
  return run.snapshot();
}

/** Returns the view of a run without events. */
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

/** Delivery is at least once, so an event at or before the cursor was applied already. */
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
  const known = handlerOf.get(envelope.type);
  if (!known) {
    add(draft, "opaque", received);
    return;
  }
  passQuestions(draft, known.type);
  known.handle(draft, envelope.data, envelope);
  updateState(draft, known.type, envelope);
}

/** Every type of the catalog has a handler, so the catalog with its schemas is not loaded to know the types. */
const handlerOf = new Map<string, { type: EnvelopeType; handle: Handle }>(
  Object.entries(handlers).map(([type, handle]) => {
    // Each handler expects the payload of its own type. TypeScript cannot relate the two, so the types are cast.
    return [type, { type: type as EnvelopeType, handle: handle as Handle }];
  }),
);

type Handle = (draft: Draft, data: object, envelope: Envelope) => void;

/** Returns the envelope with the names of our catalog and an object as `data`. A name without a dot is not a type. */
function readable(envelope: Envelope): Envelope {
  const { data } = envelope;
  const isObject = typeof data === "object" && data !== null && !Array.isArray(data);
  const whole = isObject ? envelope : { ...envelope, data: {} };
  return envelope.type.includes(".") ? canonical(whole) : whole;
}
