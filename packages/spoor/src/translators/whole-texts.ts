import type { Envelope } from "@spoor/protocol";
import type { Translator } from "./translator.ts";

/**
 * Makes a translator right about texts of which pieces are missing because events were pruned or lost: no piece of them is
 * translated after the gap, so that what is delivered is the beginning of the text, and the end of the text brings the rest.
 */
export function withWholeTexts<Message>(translator: Translator<Message>): Translator<Message> {
  /** What has begun since the last gap. Undefined: nothing is missing. */
  let begun: Set<string> | undefined;
  return {
    ...translator,
    translate(envelope) {
      const { type } = envelope;
      if (type === "gap.events_pruned" || type === "gap.events_lost") begun = new Set();
      else if (begun) {
        const piece = pieces[type];
        if (piece !== undefined && !begun.has(keyOf(piece, envelope))) return [];
        if (beginnings.has(type)) begun.add(keyOf(type, envelope));
      }
      return translator.translate(envelope);
    },
  };
}

/** What each piece belongs to. */
const pieces: Readonly<Record<string, string>> = {
  "assistant.text_delta": "assistant.message_started",
  "assistant.thinking_delta": "assistant.thinking_started",
  "assistant.tool_call_input_delta": "assistant.tool_call_started",
};
const beginnings: ReadonlySet<string> = new Set(Object.values(pieces));

const keyOf = (beginning: string, { data }: Envelope): string =>
  [beginning, data.tool_call_id ?? `${data.turn_index}-${data.block_index}`].join(" ");
