import type { RunSpan, TimeSegment } from "@spoor/protocol";
import { pack, packed, type Row } from "./pack.ts";

/** Something that is drawn in a lane. `model` is the time of a turn in which the model works. */
export interface Item {
  readonly kind: RunSpan["kind"] | "model";
  readonly from: number;
  readonly to: number;
  /** The span is not over. */
  readonly isOpen: boolean;
  readonly span: RunSpan;
}

export type LaneName = "turns" | "model" | "tools" | "subagents" | "waiting";

export interface Lane {
  readonly name: LaneName;
  /** The items of one row do not overlap, and are in order. */
  readonly rows: readonly Row<Item>[];
  /** Items for which there is no row left. */
  readonly more: Row<Item>;
  /** All items, in order. */
  readonly items: readonly Item[];
}

/** At most this many rows; what overlaps even more is counted. */
const MOST_ROWS = 6;

/** Sorts the spans of a run into lanes. Open spans end at `now`. */
export function lanesOf(spans: readonly RunSpan[], segments: readonly TimeSegment[], now: number): Lane[] {
  const waits = waitsOfCalls(spans);
  const items = spans.map((span) => itemOf(span, now, waits));
  const of = (...kinds: Item["kind"][]) => items.filter(({ kind }) => kinds.includes(kind)).sort(byStart);
  const turns = of("turn");
  const model = [...modelItems(turns, segments, of("thinking")), ...of("retry")].sort(byStart);
  return [
    lane("turns", turns, 1),
    lane("model", model, 1),
    lane("tools", of("tool"), MOST_ROWS),
    lane("subagents", of("subagent"), MOST_ROWS),
    lane("waiting", of("wait"), MOST_ROWS),
  ];
}

const byStart = (one: Item, other: Item): number => one.from - other.from || one.span.sequence - other.span.sequence;

function itemOf(span: RunSpan, now: number, waits: ReadonlyMap<string, RunSpan>): Item {
  const from = Math.min(startOf(span, now, waits), now);
  const to = Math.max(from, Math.min(span.to ?? now, now));
  return { kind: span.kind, from, to, isOpen: span.to === undefined, span };
}

/** A call that asks before it does anything runs from the answer on; the wait has its own lane. */
function startOf(span: RunSpan, now: number, waits: ReadonlyMap<string, RunSpan>): number {
  const wait = span.kind === "tool" && span.tool !== undefined ? waits.get(span.tool) : undefined;
  if (!wait || wait.from < span.from || wait.from - span.from > ASKS_AT_ONCE_MS) return span.from;
  return Math.min(wait.to ?? now, span.to ?? now);
}

const ASKS_AT_ONCE_MS = 1_000;

const waitsOfCalls = (spans: readonly RunSpan[]): ReadonlyMap<string, RunSpan> =>
  new Map(spans.flatMap((span) => (span.kind === "wait" && span.tool !== undefined ? [[span.tool, span]] : [])));

function lane(name: LaneName, items: readonly Item[], rows: number): Lane {
  if (rows === 1) return { name, rows: [packed(items)], more: packed([]), items };
  return { name, items, ...pack(items, rows) };
}

/** The stretches of each turn in which the model works, cut where it thinks. */
export function modelItems(
  turns: readonly Item[],
  segments: readonly TimeSegment[],
  thoughts: readonly Item[],
): Item[] {
  const items: Item[] = [];
  const model = segments.filter(({ part }) => part === "model");
  let first = 0;
  let thought = 0;
  for (const turn of turns) {
    while ((model[first]?.to ?? turn.from + 1) <= turn.from) first += 1;
    for (let index = first; index < model.length; index += 1) {
      const segment = model[index] as TimeSegment;
      if (segment.from >= turn.to) break;
      const end = Math.min(segment.to, turn.to);
      let at = Math.max(segment.from, turn.from);
      while ((thoughts[thought]?.to ?? end + 1) <= at) thought += 1;
      for (let next = thought; next < thoughts.length && at < end; next += 1) {
        const { from, to, span, isOpen } = thoughts[next] as Item;
        if (from >= end) break;
        if (from > at) items.push({ ...turn, kind: "model", from: at, to: from, isOpen: false });
        const [begin, stop] = [Math.max(from, at), Math.min(to, end)];
        if (stop > begin) items.push({ kind: "thinking", from: begin, to: stop, isOpen, span });
        at = Math.max(at, stop);
      }
      if (at < end) items.push({ ...turn, kind: "model", from: at, to: end, isOpen: turn.isOpen && end === turn.to });
    }
  }
  return items;
}
