import type { Envelope } from "@spoor/protocol";
import { inTurn } from "../../log/feed/turns.ts";
import type { Log } from "../../log/log.ts";
import { at } from "../../log/ranges.ts";

/** Events of a run that can be sent now. */
export interface RunEvents {
  events: Envelope[];
  /** The sequence after the events, including those that were not chosen. */
  next: number;
  /** Whether the run may have more events up to the position. */
  more: boolean;
}

/** At most this many events are in memory for each request that is being sent. */
const PAGE = { limit: 16, maxBytes: 256 * 1024 };

/** Reads the chosen events of a run after a sequence, as far as their position in the log is not above `through`. */
export async function readRunEvents(
  log: Log,
  run_id: string,
  query: { after: number; through: number; match: (type: string) => boolean },
): Promise<RunEvents> {
  const { after, through, match } = query;
  const page = await inTurn(() => log.read(run_id, { ...PAGE, after, match }));
  const events: Envelope[] = [];
  for (const { bytes, positions } of page.pieces) {
    for (const [index, line] of bytes.toString().trimEnd().split("\n").entries()) {
      if (at(positions, index) > through) return { events, next: events.at(-1)?.sequence ?? after, more: false };
      events.push(JSON.parse(line) as Envelope);
    }
  }
  return { events, next: page.next, more: page.more };
}
