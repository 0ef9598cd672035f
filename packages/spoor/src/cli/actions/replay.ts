import { setTimeout as sleep } from "node:timers/promises";
import { createDecoder } from "@spoor/protocol";
import { follow } from "../history/follow.ts";
import { envelopesOf, write } from "../history/lines.ts";
import { type DataOption, findRun, withLog } from "../history/open.ts";
import type { Io } from "../io.ts";
import { printed } from "../printed.ts";
import { createRenderer } from "../render.ts";

export interface ReplayOptions extends DataOption {
  json?: true;
  /** Times as fast as it happened; 0 is without waiting. */
  speed: number;
}

/** Nobody watches a pause of minutes. */
const LONGEST_PAUSE_MS = 3_000;

/** Shows a recorded run as it happened. */
export function replay(said: string | undefined, { json, speed, ...data }: ReplayOptions, io: Io): Promise<void> {
  return withLog(data, async (log) => {
    const run = await findRun(log, said);
    const stopped = new AbortController();
    const stop = () => stopped.abort();
    process.on("SIGINT", stop);
    const decoder = createDecoder();
    const render = createRenderer(io.stdout);
    let last: number | undefined;
    try {
      for await (const piece of follow(log, { run_id: run.run_id, once: true, signal: stopped.signal })) {
        for (const envelope of envelopesOf(piece)) {
          const event = decoder.decode(envelope);
          if (!event) continue;
          const pause =
            speed > 0 ? Math.min((event.timestamp - (last ?? event.timestamp)) / speed, LONGEST_PAUSE_MS) : 0;
          last = event.timestamp;
          if (pause >= 1) await sleep(pause, undefined, { signal: stopped.signal }).catch(() => {});
          if (stopped.signal.aborted) return;
          if (json) await write(io.stdout, `${JSON.stringify(printed(event))}\n`);
          else render(event);
        }
      }
    } finally {
      process.off("SIGINT", stop);
    }
  });
}
