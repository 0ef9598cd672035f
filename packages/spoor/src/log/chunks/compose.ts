import { createUlidSource, ulidTime } from "@spoor/protocol/ids";
import { createEnvelopeWriter } from "@spoor/protocol/lines";
import { type Lines, linesOf } from "../lines.ts";
import type { LogDraft } from "../log.ts";
import { link } from "./chain.ts";
import { CHUNK_BYTES, CHUNK_EVENTS } from "./chunk.ts";
import type { RunRow } from "./run-row.ts";

/** The envelopes of one chunk. */
export interface Composed {
  first_sequence: number;
  events: number;
  types: ReadonlySet<string>;
  /** The hash chain after the last of them. */
  head: string;
  bytes: Buffer;
  lines: Lines;
}

/**
 * Writes drafts of one run as envelopes that follow its last event, and returns the run's row after them. All bytes of
 * envelopes are made here.
 */
export function createComposer(now: () => number) {
  const ids = createIds();
  const writers = createWriters();

  return (row: RunRow, drafts: readonly LogDraft[]): { row: RunRow; chunks: Composed[] } => {
    const write = writers(row);
    const nextId = ids(now());
    const chunks: Composed[] = [];
    let { head, last_event_id, updated_at, last_sequence } = row;
    let text = "";
    let events = 0;
    let types = new Set<string>();
    const close = () => {
      const bytes = Buffer.from(text);
      const first_sequence = last_sequence - events + 1;
      chunks.push({ first_sequence, events, types, head, bytes, lines: linesOf(bytes, events) });
      text = "";
      events = 0;
      types = new Set();
    };
    for (const draft of drafts) {
      const isFull = events === CHUNK_EVENTS || text.length + draft.json.length > CHUNK_BYTES;
      if (events > 0 && isFull) close();
      updated_at = Math.max(updated_at, draft.timestamp);
      last_event_id = nextId(last_event_id);
      last_sequence += 1;
      const line = write({ ...draft, timestamp: updated_at }, last_event_id, last_sequence);
      head = link(head, line);
      text += `${line}\n`;
      events += 1;
      types.add(draft.type);
    }
    if (events > 0) close();
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes.length, row.bytes);
    return { row: { ...row, head, last_event_id, updated_at, last_sequence, bytes }, chunks };
  };
}

/** The envelope writers of runs. Keeps those of runs that were written recently. */
function createWriters() {
  const writers = new Map<string, ReturnType<typeof createEnvelopeWriter>>();
  return ({ run_id, task_id, session_id }: RunRow) => {
    const known = writers.get(run_id);
    if (known) return known;
    if (writers.size >= 1_000) writers.clear();
    const writer = createEnvelopeWriter({ run_id, task_id, ...(session_id !== null && { session_id }) });
    writers.set(run_id, writer);
    return writer;
  };
}

/** Makes event ids for a moment that are greater than the last id of the run, whichever process made that one. */
function createIds(): (now: number) => (last: string) => string {
  let time = 0;
  let floor = 0;
  const next = createUlidSource({ now: () => Math.max(time, floor), prefix: "evt_" });
  const after = (last: string): string => {
    const id = next();
    if (id > last) return id;
    floor = ulidTime(last) + 1;
    return next();
  };
  return (now) => {
    time = now;
    return after;
  };
}
