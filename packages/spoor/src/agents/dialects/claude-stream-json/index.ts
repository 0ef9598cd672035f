import { asObject, createJsonMachine } from "../../json-machine.ts";
import type { Dialect } from "../../machine.ts";
import type { Profile } from "./profile.ts";
import { createWire } from "./wire.ts";

export type { Profile } from "./profile.ts";

/** The stream-json of Claude Code, and of those that took it over. */
export function createStreamJson(profile: Profile): Dialect {
  return {
    name: "stream-json",
    recognises: (frames) => frames.some(({ value }) => isOfThisWire(value)),
    streams: { text: true, toolCalls: true, thinking: true },
    canAsk: true,
    createMachine: () => createJsonMachine(createWire(profile)),
  };
}

/** Session logs have the same types, but spell it `sessionId`. */
function isOfThisWire(value: unknown): boolean {
  const frame = asObject(value);
  if (!frame || typeof frame.type !== "string") return false;
  return /^control_/.test(frame.type) ? true : spoken.has(frame.type) && "session_id" in frame;
}

const spoken = new Set(["system", "assistant", "user", "result", "stream_event"]);
