import { asObject, createJsonMachine, type Json } from "../../kit/json-machine.ts";
import type { Dialect } from "../../machine.ts";
import { createLive, type Launching } from "./driving/launch.ts";
import type { Profile } from "./reading/profile.ts";
import { createWire } from "./reading/wire.ts";

export { commonFlags, type Launching } from "./driving/launch.ts";
export type { Profile } from "./reading/profile.ts";

/** The stream-json of Claude Code, and of those that took it over. */
export function createStreamJson(profile: Profile, launching: Launching): Dialect {
  return {
    name: "stream-json",
    recognises: (frames) => frames.some(({ value }) => isOfThisWire(asObject(value) ?? {})),
    streams: { text: true, toolCalls: true, thinking: true },
    canAsk: true,
    createMachine: () => createJsonMachine(createWire(profile)),
    live: createLive(launching),
  };
}

/** Session logs have the same types, but spell it `sessionId`. */
function isOfThisWire({ type, session_id }: Json): boolean {
  if (typeof type !== "string") return false;
  return type.startsWith("control_") || (spoken.has(type) && session_id !== undefined);
}

const spoken = new Set(["system", "assistant", "user", "result", "stream_event"]);
