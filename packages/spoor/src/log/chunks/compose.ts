import { createUlidSource, ulidTime } from "@spoor/protocol/ids";
import { createEnvelopeWriter } from "@spoor/protocol/write";
import type { Lines } from "../lines.ts";
import type { LogDraft } from "../log.ts";
import { linkOf } from "./chain.ts";
import { CHUNK_BYTES, CHUNK_EVENTS } from "./chunk.ts";
import { EnvelopeDraft, type EnvelopeWriter } from "./envelope-draft.ts";
import { LineBuffer } from "./line-buffer.ts";
import type { RunRow } from "./run-row.ts";

/** Envelopes that go into one row. */
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
 * Writes drafts of one run as envelopes, right after its last one, and gives the run's row as it is then. This is where
 * an envelope's bytes are made.
 */
export function createComposer(now: () => number) {
  const ids = createIds();
  const writers = new Map<string, EnvelopeWriter>();
  const alone = new Map<string, ReadonlySet<string>>();
  const envelope = new EnvelopeDraft();
  const buffer = new LineBuffer();

  return (row: RunRow, drafts: readonly LogDraft[]): { row: RunRow; chunks: Composed[] } => {
    const writer = writerOf(row);
    buffer.begin();
    const nextId = ids(now());
    const chunks: Composed[] = [];
    let { head, last_event_id, updated_at, last_sequence } = row;
    let events = 0;
    let types = new Set<string>();
    let lastType = "";
    const close = () => {
      const first_sequence = last_sequence - events + 1;
      chunks.push({ first_sequence, events, types: shared(types), head, ...buffer.take() });
      events = 0;
      types = new Set();
      lastType = "";
    };
    for (const draft of drafts) {
      const isFull = events === CHUNK_EVENTS || buffer.bytes + draft.json.length > CHUNK_BYTES;
      if (events > 0 && isFull) close();
      updated_at = Math.max(updated_at, draft.timestamp);
      last_event_id = nextId(last_event_id);
      last_sequence += 1;
      const told = draft.timestamp === updated_at ? draft : { ...draft, timestamp: updated_at };
      head = add(writer, told, last_event_id, last_sequence, head);
      events += 1;
      if (draft.type !== lastType) types.add(draft.type);
      lastType = draft.type;
    }
    if (events > 0) close();
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes.length, row.bytes);
    return { row: { ...row, head, last_event_id, updated_at, last_sequence, bytes }, chunks };
  };

  /** Most chunks hold one type, many of them the same one: they are kept by the thousand, and share what says so. */
  function shared(types: ReadonlySet<string>): ReadonlySet<string> {
    const [type = "", another] = types;
    if (another !== undefined) return types;
    const known = alone.get(type) ?? types;
    if (alone.size >= 1_000) alone.clear();
    alone.set(type, known);
    return known;
  }

  /** Adds an envelope that follows a link; returns the link after it. */
  function add(writer: EnvelopeWriter, draft: LogDraft, id: string, sequence: number, link: string): string {
    if (envelope.hold(writer, draft, id, sequence)) {
      buffer.add(envelope);
      return envelope.linkAfter(link);
    }
    const text = writer(draft, id, sequence);
    const bytes = Buffer.from(`${text}\n`);
    buffer.add({ bytes: bytes.length, copyTo: (target, offset) => bytes.copy(target, offset) });
    return linkOf(link + text);
  }

  /** Writers of runs that are being written are kept; others are made again when needed. */
  function writerOf({ run_id, task_id, session_id }: RunRow) {
    const known = writers.get(run_id);
    if (known) return known;
    if (writers.size >= 1_000) writers.clear();
    const writer = createEnvelopeWriter({ run_id, task_id, ...(session_id !== null && { session_id }) });
    writers.set(run_id, writer);
    return writer;
  }
}

/** Event ids of a moment that increase within a run, whichever process wrote the one before. */
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
