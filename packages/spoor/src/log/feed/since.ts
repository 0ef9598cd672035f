import type { Envelope } from "@spoor/protocol";
import { isLost } from "../gaps.ts";
import type { Log, Piece } from "../log.ts";
import { cutOut } from "../pieces/pieces.ts";
import type { StoredRun } from "../records.ts";

/** The sequence after which a run's events are not older than a time. Times within a run never go back. */
export async function sequenceBefore(log: Log, run: StoredRun, since: number): Promise<number> {
  if (run.created_at >= since) return -1;
  let before = run.first_sequence - 1;
  for (let last = run.last_sequence; before < last; ) {
    const middle = before + Math.ceil((last - before) / 2);
    const found = await eventFrom(log, run.run_id, middle);
    if (found && Date.parse(found.occurred_at) < since) before = Math.max(middle, found.sequence);
    else last = middle - 1;
  }
  return before;
}

/** Leaves out the events of each run that are older. */
export function createTimeFilter(since: number): (piece: Piece) => Piece | undefined {
  const reached = new Set<string>();
  return (piece) => {
    // Readers receive every gap.events_lost.
    if (reached.has(piece.run_id) || isLost(piece)) return piece;
    const times = piece.bytes
      .toString()
      .split("\n")
      .slice(0, -1)
      .map((line) => Date.parse((JSON.parse(line) as Envelope).occurred_at));
    const first = times.findIndex((time) => time >= since);
    if (first === -1) return undefined;
    reached.add(piece.run_id);
    return first === 0 ? piece : cutOut(piece, first);
  };
}

async function eventFrom(log: Log, run_id: string, sequence: number): Promise<Envelope | undefined> {
  const { pieces } = await log.read(run_id, { after: sequence - 1, limit: 1 });
  return pieces[0] && JSON.parse(pieces[0].bytes.toString().split("\n", 1)[0] as string);
}
