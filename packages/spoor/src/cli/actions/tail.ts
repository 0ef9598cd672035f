import { followPieces } from "../../log/feed/follow.ts";
import { ExitError } from "../exit-error.ts";
import { createEventPrinter, type PrintOptions } from "../history/event-printer.ts";
import { refuseFilters, type SelectOptions, select } from "../history/select-events.ts";
import { withLog } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import type { ViewOptions } from "../render/view-options.ts";

export interface TailOptions extends SelectOptions, PrintOptions, ViewOptions {
  /** Milliseconds. */
  stalledAfter?: number;
}

/** Follows one run from its start to its end, or all new events until Ctrl-C. */
export function tail(typed: string | undefined, options: TailOptions, io: Io): Promise<void> {
  return withLog(options, async (log) => {
    const stopped = new AbortController();
    const stop = () => stopped.abort();
    process.on("SIGINT", stop);
    const { after, since, type } = options;
    refuseFilters(options);
    if (options.stalledAfter !== undefined && options.as !== "glasspane")
      throw new ExitError(2, "--stalled-after needs --as glasspane: only panes can be stalled.");
    const start = typed === undefined && after === undefined && since === undefined ? { after: "now" as const } : {};
    try {
      const selection = await select(log, typed, { ...options, ...start }, io);
      if (!selection) return;
      const { run, query } = selection;
      const print = createEventPrinter(
        log,
        { ...options, run, asLines: type !== undefined, isWhole: run !== undefined && query.after === undefined },
        io,
      );
      let look: NodeJS.Timeout | undefined;
      try {
        await print.begin?.(query);
        // Nobody else notices that nothing happens.
        if (print.check) look = setInterval(() => void print.check?.(Date.now()), lookEvery(options));
        for await (const piece of followPieces(log, { ...query, signal: stopped.signal })) await print.piece(piece);
      } finally {
        clearInterval(look);
        print.end();
      }
    } finally {
      process.off("SIGINT", stop);
    }
  });
}

/** Often enough to notice a silence soon after it is too long. */
const lookEvery = ({ stalledAfter = 60_000 }: TailOptions): number => Math.min(60_000, Math.max(100, stalledAfter / 4));
