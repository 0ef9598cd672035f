import { createRunFold, type Envelope } from "@spoor/protocol";
import { errorBody, toHttpError } from "../http/http-error.ts";
import type { EventSource } from "./event-source.ts";
import { followToEnd } from "./follow-to-end.ts";
import { encodeSnapshot } from "./snapshot-json.ts";
import { namedFrame } from "./sse-frames.ts";

export interface SnapshotFrame {
  readonly sequence: number;
  readonly bytes: Buffer;
  /** No frame follows. */
  readonly last: boolean;
}

export interface Snapshots {
  /** Calls `show` with the run's newest frame, then with each newer one. Returns a function that stops. */
  watch(source: EventSource & { run: { run_id: string } }, linger: number, show: Show): () => void;
}

type Show = (frame: SnapshotFrame) => void;

const MIN_PAUSE_MS = 100;
/** Encoding gets at most this share of the time. */
const MAX_SHARE = 0.1;
const FRAME_END = Buffer.from("\n\n");

/** Live snapshots of runs. A run is folded once for all its watchers, and only while it has some. */
export function createSnapshots(): Snapshots {
  const open = new Map<string, FoldedRun>();
  return {
    watch(source, linger, show) {
      const { run_id } = source.run;
      let folded = open.get(run_id);
      if (!folded) {
        const fresh: FoldedRun = fold(source, linger, () => open.get(run_id) === fresh && open.delete(run_id));
        folded = fresh;
        open.set(run_id, folded);
      }
      return folded.watch(show);
    },
  };
}

interface FoldedRun {
  watch(show: Show): () => void;
}

function fold(source: EventSource, linger: number, onEnd: () => void): FoldedRun {
  const watchers = new Set<Show>();
  const run = createRunFold();
  let lastType = "";
  let frame: SnapshotFrame | undefined;
  /** Set from the time a frame becomes due until it is encoded. */
  let timer: NodeJS.Timeout | undefined;
  let pause = MIN_PAUSE_MS;
  let isOver = false;

  const emit = (next: SnapshotFrame) => {
    frame = next;
    for (const show of [...watchers]) show(next);
  };
  const encode = async (last: boolean): Promise<void> => {
    clearTimeout(timer);
    const view = run.snapshot();
    const facts = { sequence: view.lastSequence, event_type: lastType, terminal: view.end !== undefined };
    const { chunks, workMs } = await encodeSnapshot(facts, view);
    // Meanwhile the last frame, or a failure, may have been emitted.
    if (isOver) return;
    isOver = last;
    const head = `event: ${last ? "done" : "snapshot"}\nid: ${view.lastSequence}\ndata: `;
    emit({ sequence: view.lastSequence, bytes: Buffer.concat([Buffer.from(head), ...chunks, FRAME_END]), last });
    pause = Math.max(MIN_PAUSE_MS, workMs / MAX_SHARE);
    timer = undefined;
    if (!last && run.snapshot() !== view) timer = setTimeout(encode, pause, false);
  };
  const feed = followToEnd(source, -1, linger, {
    take({ pieces }) {
      for (const piece of pieces) {
        for (const line of piece.bytes.toString().split("\n")) {
          if (line === "") continue;
          const envelope = JSON.parse(line) as Envelope;
          if (run.fold(envelope)) lastType = envelope.type;
        }
      }
      // The first frame waits until all stored events are folded, later ones for the pause.
      if (frame) timer ??= setTimeout(encode, pause, false);
      // Take one batch in each turn of the event loop, so that folding a long run does not block other requests.
      setImmediate(() => feed.resume());
      return false;
    },
    caughtUp() {
      if (!frame && !source.finished && !timer) timer = setTimeout(encode, 0, false);
    },
    end() {
      onEnd();
      void encode(true);
    },
    failed(error) {
      onEnd();
      isOver = true;
      const bytes = Buffer.from(namedFrame("error", errorBody(toHttpError(error))));
      emit({ sequence: run.snapshot().lastSequence, bytes, last: true });
    },
  });

  return {
    watch(show) {
      watchers.add(show);
      if (frame) show(frame);
      return () => {
        if (!watchers.delete(show) || watchers.size > 0) return;
        isOver = true;
        clearTimeout(timer);
        feed.close();
        onEnd();
      };
    },
  };
}
