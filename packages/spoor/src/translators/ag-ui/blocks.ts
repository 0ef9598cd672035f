/** An event of AG-UI. The tests check each against the schemas that AG-UI publishes. */
export type AgUiEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

export type BlockKind = "text" | "reasoning";

/** A text that is being written. */
export interface Block {
  readonly kind: BlockKind;
  readonly messageId: string;
  /** How many characters were delivered. */
  length: number;
}

/** The events that begin a text, or begin it again in the next run. */
export function openingOf({ kind, messageId }: Block): AgUiEvent[] {
  if (kind === "text") return [{ type: "TEXT_MESSAGE_START", messageId, role: "assistant" }];
  return [
    { type: "REASONING_START", messageId },
    { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" },
  ];
}

export function closingOf({ kind, messageId }: Block): AgUiEvent[] {
  if (kind === "text") return [{ type: "TEXT_MESSAGE_END", messageId }];
  return [
    { type: "REASONING_MESSAGE_END", messageId },
    { type: "REASONING_END", messageId },
  ];
}
