import { readPieces } from "../../log/feed/follow.ts";
import { ExitError } from "../exit-error.ts";
import { createEventPrinter, type PrintOptions } from "../history/event-printer.ts";
import { refuseFilters, type SelectOptions, select } from "../history/select-events.ts";
import { withLog } from "../history/with-log.ts";
import type { Io } from "../io.ts";

export interface EventsOptions extends SelectOptions, PrintOptions {
  run?: string;
  limit?: number;
}

/** Prints recorded events: as JSON lines exactly as they are stored, or as one line each for people. */
export async function printEvents(typed: string | undefined, options: EventsOptions, io: Io): Promise<void> {
  const { run: named = typed, limit = Number.POSITIVE_INFINITY } = options;
  if (typed !== undefined && named !== typed) {
    throw new ExitError(2, `Two runs are named: ${typed} as an argument and ${named} with --run. Name one.`);
  }
  refuseFilters(options);
  await withLog(options, async (log) => {
    const selection = await select(log, named, options, io);
    if (!selection) return;
    const { run, query } = selection;
    const print = createEventPrinter(log, { ...options, run, asLines: true }, io);
    let left = limit;
    for await (const piece of readPieces(log, query)) {
      left -= await print.piece(piece, left);
      if (left <= 0) return;
    }
  });
}
