import { createJsonMachine } from "../../kit/json-machine.ts";
import { asObject, type Json } from "../../kit/json-values.ts";
import type { Dialect } from "../../machine.ts";
import { type ClaudeLaunch, createLive } from "./driving/claude-launch.ts";
import type { ClaudeProfile } from "./reading/claude-profile.ts";
import { createClaudeReader } from "./reading/claude-stream.ts";

export { type ClaudeLaunch as Launching, commonFlags } from "./driving/claude-launch.ts";
export type { ClaudeProfile as Profile } from "./reading/claude-profile.ts";

/** The stream-json of Claude Code and of the agents that adopted it. */
export function createStreamJson(profile: ClaudeProfile, launching: ClaudeLaunch): Dialect {
  return {
    name: "stream-json",
    recognises: (frames) => frames.some(({ value }) => isOfThisDialect(asObject(value) ?? {})),
    streams: { text: true, toolCalls: true, thinking: true },
    canAsk: true,
    createMachine: () => createJsonMachine(createClaudeReader(profile)),
    live: createLive(launching),
  };
}

/** Session logs have the same frame types but spell the field `sessionId`. */
function isOfThisDialect({ type, session_id }: Json): boolean {
  if (typeof type !== "string") return false;
  return type.startsWith("control_") || (spoken.has(type) && session_id !== undefined);
}

const spoken = new Set(["system", "assistant", "user", "result", "stream_event"]);
