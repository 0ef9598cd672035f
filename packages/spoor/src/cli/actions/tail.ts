import { followPieces } from "../../log/feed/follow.ts";
import { createEventPrinter, type PrintOptions } from "../history/event-printer.ts";
import { type SelectOptions, select } from "../history/select-events.ts";
import { withLog } from "../history/with-log.ts";
import type { Io } from "../io.ts";

export interface TailOptions extends SelectOptions, PrintOptions {}

/** Follows one run from its start to its end, or all new events until Ctrl-C. */
export function tail(typed: string | undefined, options: TailOptions, io: Io): Promise<void> {
  return withLog(options, async (log) => {
    const stopped = new AbortController();
    const stop = () => stopped.abort();
    process.on("SIGINT", stop);
    const { after, since, type } = options;
    const start = typed === undefined && after === undefined && since === undefined ? { after: "now" as const } : {};
    try {
      const selection = await select(log, typed, { ...options, ...start }, io);
      if (!selection) return;
      const { run, query } = selection;
      const print = createEventPrinter(log, { ...options, run, asLines: type !== undefined }, io);
      try {
        for await (const piece of followPieces(log, { ...query, signal: stopped.signal })) await print.piece(piece);
      } finally {
        print.end();
      }
    } finally {
      process.off("SIGINT", stop);
    }
  });
}
