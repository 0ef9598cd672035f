import { type Payload, text } from "../translator.ts";
import type { StreamEvent } from "./stream-event.ts";

type TextKind = "text-delta" | "reasoning";

/** The texts of a run, of which each piece is sent once. */
export interface Texts {
  add(type: TextKind, data: Payload): StreamEvent[];
  /** Sends what was not sent of a text in pieces. */
  complete(type: TextKind, data: Payload): StreamEvent[];
}

export function createTexts(): Texts {
  /** How much was sent of each text that is not complete. */
  const sent = new Map<string, number>();
  const keyOf = (type: TextKind, data: Payload) => `${type} ${data.turn_index} ${data.block_index}`;
  const eventsOf = (type: TextKind, piece: string): StreamEvent[] => (piece === "" ? [] : [{ type, text: piece }]);
  return {
    add(type, data) {
      const key = keyOf(type, data);
      const delta = text(data, "delta");
      sent.set(key, (sent.get(key) ?? 0) + delta.length);
      return eventsOf(type, delta);
    },
    complete(type, data) {
      const key = keyOf(type, data);
      const rest = text(data, "text").slice(sent.get(key) ?? 0);
      sent.delete(key);
      return eventsOf(type, rest);
    },
  };
}
