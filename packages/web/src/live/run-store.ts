import { createRunFold, createSpanFold, type Envelope, initialRunView } from "@spoor/protocol";
import type { EventHub, HubSubscription, RunRecord } from "@spoor/protocol/client";
import { createCell, type Store } from "../ui/store.ts";
import type { AllListener } from "./all-events.ts";
import type { Records } from "./records.ts";
import type { RunSnapshot } from "./run-snapshot.ts";
import { createSlices, type Schedule } from "./schedule.ts";
import { createSettledTurns } from "./settled-turns.ts";

export interface RunStoreOptions {
  hub: Pick<EventHub, "follow">;
  listen(listener: AllListener): () => void;
  records: Records;
  schedule: Schedule;
}

/** One run, folded from its events. */
export interface RunStore extends Store<RunSnapshot> {
  close(): void;
}

/** A run with more events than this is long. */
const LONG = 5_000;

/**
 * Follows one run: its row first, then its events into one fold. A long run is read without pieces of texts and outputs,
 * which are nine of ten events. The last turn of one that goes on is read whole, because its text exists only in pieces.
 * Nothing is shown before the whole run was read, so the first picture is that of its end. From then on there is one
 * snapshot per frame at most.
 */
export function createRunStore(runId: string, { hub, listen, records, schedule }: RunStoreOptions): RunStore {
  const fold = createRunFold();
  const spans = createSpanFold();
  const cell = createCell<RunSnapshot>({ view: initialRunView(), state: "loading", ...recordOf() });
  let subscription: HubSubscription | undefined;
  let granularity: "delta" | "block" = "delta";
  let isOver = false;
  let isCaughtUp = false;
  let isReady = false;
  let hasFrame = false;
  let isClosed = false;

  const slices = createSlices<Envelope>(
    schedule,
    (envelope) => {
      fold.fold(envelope);
      spans.fold(envelope);
    },
    () => {
      if (isCaughtUp) isReady = true;
      show();
    },
  );

  function recordOf(): { record?: RunRecord } {
    const record = records.read(runId);
    return record === undefined || record === "missing" ? {} : { record };
  }

  function show(): void {
    if (hasFrame || isClosed) return;
    hasFrame = true;
    schedule.frame(() => {
      hasFrame = false;
      if (!isClosed) cell.set(snapshot());
    });
  }

  function snapshot(): RunSnapshot {
    if (records.read(runId) === "missing") return { view: initialRunView(), state: "missing" };
    const row = recordOf();
    const { view, spans: shown } = cell.read();
    if (!isReady) return { view, ...(shown && { spans: shown }), state: "loading", ...row };
    return { view: fold.snapshot(), spans: spans.snapshot(), state: "ready", ...row };
  }

  function follow(after: number): void {
    isOver = false;
    subscription = hub.follow(
      { runId, after, granularity },
      {
        events: slices.push,
        caughtUp,
        ended() {
          isOver = true;
        },
        failed,
      },
    );
  }

  function caughtUp(): void {
    isCaughtUp = true;
    if (slices.isEmpty) isReady = true;
    if (isReady) show();
  }

  /** Reads all turns but the last without pieces, and follows the run from there. */
  function followLastTurn(): void {
    const turns = createSettledTurns();
    const readOn = () => {
      subscription?.close();
      follow(turns.end);
    };
    subscription = hub.follow(
      { runId, after: -1, granularity: "block" },
      { events: (envelopes) => slices.push(turns.settle(envelopes)), caughtUp: readOn, failed: readOn },
    );
  }

  /** What was read until then is shown; the row of the run may say what is wrong with it. */
  function failed(): void {
    isOver = true;
    records.touch([runId]);
    caughtUp();
  }

  function onRecord(): void {
    const record = records.read(runId);
    if (record !== undefined && record !== "missing" && !subscription) {
      const isLong = record.last_sequence > LONG;
      if (isLong && record.ended_at !== undefined) granularity = "block";
      if (isLong && granularity === "delta") followLastTurn();
      else follow(-1);
    }
    show();
  }

  const stopRecords = records.listen(
    (changed) => changed === runId && onRecord(),
    () => [runId],
  );
  const stopEvents = listen({
    events(envelopes) {
      const last = envelopes.findLast(({ run_id }) => run_id === runId);
      if (!last) return;
      records.touch([runId]);
      // Events may follow the end of a run: somebody applies a patch, or adds a note.
      if (isOver && last.sequence > (subscription?.cursor ?? -1)) follow(subscription?.cursor ?? -1);
    },
    begun: () => records.touch([runId]),
  });
  records.touch([runId]);
  if (records.read(runId) !== undefined) onRecord();

  return {
    read: cell.read,
    subscribe: cell.subscribe,
    close() {
      isClosed = true;
      subscription?.close();
      slices.clear();
      stopRecords();
      stopEvents();
    },
  };
}
