import { setTimeout as sleep } from "node:timers/promises";
import { readPieces } from "../../log/feed/follow.ts";
import { createEventPrinter, type PrintOptions } from "../history/event-printer.ts";
import { findRun } from "../history/find-run.ts";
import { type DataOption, withLog } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import type { ViewOptions } from "../render/view-options.ts";

export interface ReplayOptions extends DataOption, PrintOptions, ViewOptions {
  /** How many times faster than the run; 0 does not wait at all. */
  speed: number;
}

/** Longer pauses are cut to this. */
const LONGEST_PAUSE_MS = 3_000;

/** Shows a recorded run at the pace it had. */
export function replay(typed: string | undefined, { speed, ...options }: ReplayOptions, io: Io): Promise<void> {
  return withLog(options, async (log) => {
    const run = await findRun(log, typed);
    const stopped = new AbortController();
    const stop = () => stopped.abort();
    process.on("SIGINT", stop);
    const print = createEventPrinter(log, { ...options, run, isReplay: true, stop: "Ctrl-C stop" }, io);
    let last: number | undefined;
    try {
      for await (const piece of readPieces(log, { run_id: run.run_id, signal: stopped.signal })) {
        if (speed === 0) {
          await print.piece(piece);
          continue;
        }
        for (const line of piece.bytes.toString().split("\n").slice(0, -1)) {
          const time = Date.parse(JSON.parse(line).occurred_at);
          const pause = Math.min((time - (last ?? time)) / speed, LONGEST_PAUSE_MS);
          last = time;
          if (pause >= 1) await sleep(pause, undefined, { signal: stopped.signal }).catch(() => {});
          if (stopped.signal.aborted) return;
          await print.piece({ ...piece, bytes: Buffer.from(`${line}\n`) });
        }
      }
    } finally {
      print.end();
      process.off("SIGINT", stop);
    }
  });
}
