import type { Envelope } from "@spoor/protocol";
import type { Log, ReadQuery } from "../log/log.ts";

/** A run's lines as they are stored, without their newlines, a page at a time. */
export async function* linesOf(log: Log, run_id: string, query: ReadQuery = {}): AsyncGenerator<string> {
  let after = query.after ?? -1;
  for (;;) {
    const { pieces, next, more } = await log.read(run_id, { ...query, after });
    for (const { bytes } of pieces) yield* bytes.toString().split("\n").slice(0, -1);
    if (!more) return;
    after = next;
  }
}

export async function* envelopesOf(log: Log, run_id: string, query?: ReadQuery): AsyncGenerator<Envelope> {
  for await (const line of linesOf(log, run_id, query)) yield JSON.parse(line);
}

/** All of a run at once: for comparing, not for serving. */
export async function readEnvelopes(log: Log, run_id: string): Promise<Envelope[]> {
  const envelopes: Envelope[] = [];
  for await (const envelope of envelopesOf(log, run_id)) envelopes.push(envelope);
  return envelopes;
}
