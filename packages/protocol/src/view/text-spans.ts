import type { Envelope } from "../envelope/envelope.ts";
import { turnAt, turnNumber } from "./open-turn.ts";
import { count, put, text, when } from "./payload-fields.ts";
import type { MessageView } from "./types-talk.ts";
import { add, type Draft } from "./view-draft.ts";
import { spanKey } from "./view-index.ts";

/** Texts that stream: messages and thoughts. Each is told by its turn and its block within the turn. */
export type Spans = "messages" | "thoughts";

interface Block {
  readonly turn_index?: unknown;
  readonly block_index?: unknown;
}

export function beginSpan(draft: Draft, spans: Spans, data: Block, envelope: Envelope): number {
  const { lists, lookup } = draft;
  turnAt(draft, data.turn_index);
  const span = put<MessageView>({ text: "", complete: false, ...placeOf(draft, data) }, { at: when(envelope) });
  const before = lookup[spans].get(spanKey(span));
  if (before !== undefined) lists[spans].edit(before).complete = true;
  const index = spans === "messages" ? add(draft, spans, span) : add(draft, spans, { ...span, hidden: true });
  lookup[spans].set(spanKey(span), index);
  return index;
}

export function addText(draft: Draft, spans: Spans, data: Block & { delta?: unknown }, envelope: Envelope): void {
  draft.lists[spans].edit(spanAt(draft, spans, data, envelope)).text += text(data.delta) ?? "";
}

/** The whole text takes the place of the pieces: it is their sum, and holds what was not seen of them. */
export function completeSpan(draft: Draft, spans: Spans, data: Block & { text?: unknown }, envelope: Envelope): void {
  const span = draft.lists[spans].edit(spanAt(draft, spans, data, envelope));
  put(span, { text: text(data.text), complete: true });
  draft.lookup[spans].delete(spanKey(span));
}

/** Completes every text that still streams: nothing goes on once its turn is over. */
export function closeSpans({ lists, lookup }: Draft): void {
  for (const spans of ["messages", "thoughts"] as const) {
    for (const index of lookup[spans].values()) lists[spans].edit(index).complete = true;
    lookup[spans].clear();
  }
}

/** The span a piece belongs to; one whose start was not seen is opened. */
const spanAt = (draft: Draft, spans: Spans, data: Block, envelope: Envelope): number =>
  draft.lookup[spans].get(spanKey(placeOf(draft, data))) ?? beginSpan(draft, spans, data, envelope);

const placeOf = (draft: Draft, { turn_index, block_index }: Block) => ({
  turn: turnNumber(draft, turn_index),
  block: count(block_index) ?? 0,
});
