import { createRunFold, type Envelope } from "@spoor/protocol";
import { errorBody, toHttpError } from "../http/errors.ts";
import { namedFrame } from "./frames.ts";
import { followToEnd } from "./live.ts";
import { encodeScreen } from "./screen.ts";
import type { Source } from "./source.ts";

export interface Frame {
  readonly sequence: number;
  readonly bytes: Buffer;
  /** Nothing comes after it. */
  readonly last: boolean;
}

export interface Screens {
  /** Shows the run's newest frame, then each newer one. Returns how to stop. */
  watch(source: Source & { run: { run_id: string } }, linger: number, show: (frame: Frame) => void): () => void;
}

const FRAME_EVERY = 100;
const FRAME_END = Buffer.from("\n\n");

/** Runs as screens show them, each folded once for all who watch it, and not at all while nobody does. */
export function createScreens(): Screens {
  const open = new Map<string, Shown>();
  return {
    watch(source, linger, show) {
      const { run_id } = source.run;
      let shown = open.get(run_id);
      if (!shown) {
        const fresh: Shown = fold(source, linger, () => open.get(run_id) === fresh && open.delete(run_id));
        shown = fresh;
        open.set(run_id, shown);
      }
      return shown.watch(show);
    },
  };
}

interface Shown {
  watch(show: (frame: Frame) => void): () => void;
}

function fold(source: Source, linger: number, gone: () => void): Shown {
  const watchers = new Set<(frame: Frame) => void>();
  const run = createRunFold();
  let cause = "";
  let frame: Frame | undefined;
  /** Set from when a frame is due until it was drawn. */
  let timer: NodeJS.Timeout | undefined;
  let pause = FRAME_EVERY;
  let isOver = false;

  const emit = (next: Frame) => {
    frame = next;
    for (const show of [...watchers]) show(next);
  };
  const draw = async (last: boolean): Promise<void> => {
    clearTimeout(timer);
    const view = run.snapshot();
    const facts = { sequence: view.lastSequence, event_type: cause, terminal: view.end !== undefined };
    const { chunks, workMs } = await encodeScreen(facts, view);
    // While it was drawn the last frame, or a failure, may have come.
    if (isOver) return;
    isOver = last;
    const head = `event: ${last ? "done" : "snapshot"}\nid: ${view.lastSequence}\ndata: `;
    emit({ sequence: view.lastSequence, bytes: Buffer.concat([Buffer.from(head), ...chunks, FRAME_END]), last });
    // Drawing a long run takes long: it gets no more than a tenth of the time.
    pause = Math.max(FRAME_EVERY, workMs * 10);
    timer = undefined;
    if (!last && run.snapshot() !== view) timer = setTimeout(draw, pause, false);
  };
  const feed = followToEnd(source, -1, linger, {
    take({ pieces }) {
      for (const piece of pieces) {
        for (const line of piece.bytes.toString().split("\n")) {
          if (line === "") continue;
          const envelope = JSON.parse(line) as Envelope;
          if (run.fold(envelope)) cause = envelope.type;
        }
      }
      // The first frame waits for the whole of what is there, later ones for the next tenth of a second.
      if (frame) timer ??= setTimeout(draw, pause, false);
      // One batch in each turn of the event loop: folding a long run must not hold up other requests.
      setImmediate(() => feed.resume());
      return false;
    },
    caughtUp() {
      if (!frame && !source.finished && !timer) timer = setTimeout(draw, 0, false);
    },
    end() {
      gone();
      void draw(true);
    },
    failed(error) {
      gone();
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
        gone();
      };
    },
  };
}
