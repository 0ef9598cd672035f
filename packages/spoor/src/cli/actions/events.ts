import { readPieces } from "../../log/feed/follow.ts";
import { ExitError } from "../exit-error.ts";
import { createEventPrinter, type PrintOptions } from "../history/event-printer.ts";
import { type SelectOptions, select } from "../history/select-events.ts";
import { withLog } from "../history/with-log.ts";
import type { Io } from "../io.ts";

export interface EventsOptions extends SelectOptions, PrintOptions {
  run?: string;
  limit?: number;
}

/** Events that are in the log: JSON lines exactly as they are stored, or a line each for people. */
export async function printEvents(said: string | undefined, options: EventsOptions, io: Io): Promise<void> {
  const { run: named = said, limit = Number.POSITIVE_INFINITY } = options;
  if (said !== undefined && named !== said) {
    throw new ExitError(2, `Two runs are named: ${said}, and ${named} with --run. Name one.`);
  }
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
