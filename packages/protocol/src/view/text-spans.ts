import type { Envelope } from "../envelope/envelope.ts";
import { turnAt, turnNumber } from "./open-turn.ts";
import { count, put, text, when } from "./payload-fields.ts";
import type { MessageView } from "./types-talk.ts";
import { add, type Draft } from "./view-draft.ts";
import { spanKey } from "./view-index.ts";

/** Streamed texts: messages and thoughts. Each is identified by its turn and its block within the turn. */
export type Spans = "messages" | "thoughts";

interface Block {
  readonly turn_index?: unknown;
  readonly block_index?: unknown;
}

export function beginSpan(draft: Draft, spans: Spans, data: Block, envelope: Envelope): number {
  const { lists, lookup } = draft;
  turnAt(draft, data.turn_index);
  const span = put<MessageView>({ text: "", complete: false, ...positionOf(draft, data) }, { at: when(envelope) });
  const before = lookup[spans].get(spanKey(span));
  if (before !== undefined) lists[spans].edit(before).complete = true;
  const index = spans === "messages" ? add(draft, spans, span) : add(draft, spans, { ...span, hidden: true });
  lookup[spans].set(spanKey(span), index);
  return index;
}

export function addText(draft: Draft, spans: Spans, data: Block & { delta?: unknown }, envelope: Envelope): void {
  draft.lists[spans].edit(spanAt(draft, spans, data, envelope)).text += text(data.delta) ?? "";
}

/** Replaces the pieces by the whole text, which also contains pieces that were not seen. */
export function completeSpan(draft: Draft, spans: Spans, data: Block & { text?: unknown }, envelope: Envelope): void {
  const span = draft.lists[spans].edit(spanAt(draft, spans, data, envelope));
  put(span, { text: text(data.text), complete: true });
  draft.lookup[spans].delete(spanKey(span));
}

/** Completes every text that still streams, because its turn is over. */
export function closeSpans({ lists, lookup }: Draft): void {
  for (const spans of ["messages", "thoughts"] as const) {
    for (const index of lookup[spans].values()) lists[spans].edit(index).complete = true;
    lookup[spans].clear();
  }
}

/** Returns the span a piece belongs to. Opens a span whose start was not seen. */
const spanAt = (draft: Draft, spans: Spans, data: Block, envelope: Envelope): number =>
  draft.lookup[spans].get(spanKey(positionOf(draft, data))) ?? beginSpan(draft, spans, data, envelope);

const positionOf = (draft: Draft, { turn_index, block_index }: Block) => ({
  turn: turnNumber(draft, turn_index),
  block: count(block_index) ?? 0,
});
