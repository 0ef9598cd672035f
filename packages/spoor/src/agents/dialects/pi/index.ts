import { createJsonMachine } from "../../kit/json-machine.ts";
import { asObject } from "../../kit/json-values.ts";
import type { Dialect, Frame } from "../../machine.ts";
import { createPiReader } from "./events/pi-events.ts";
import type { PiProfile } from "./pi-profile.ts";
import { createLogMachine } from "./session-log/pi-session-log.ts";

export type { PiProfile } from "./pi-profile.ts";

const streams = { text: true, toolCalls: true, thinking: true };

/** `--mode rpc`: JSON lines in both directions; the process outlives its prompts. */
export const createPiRpc = (profile: PiProfile): Dialect => ({
  name: "rpc",
  recognises: (frames) => frames.some(isRpc) && !frames.some(isHeader),
  streams,
  canAsk: true,
  createMachine: () => createJsonMachine(createPiReader(profile, "rpc")),
});

/** `--mode json`: a header, then the events of one prompt. */
export const createPiJson = (profile: PiProfile): Dialect => ({
  name: "json",
  recognises: (frames) => frames.some(isHeader) && !frames.some(isLogEntry),
  streams,
  canAsk: false,
  createMachine: () => createJsonMachine(createPiReader(profile, "json")),
});

/** The session that the agent stores on disk. It can be read, not run. */
export const createPiLog = (profile: PiProfile): Dialect => ({
  name: "session-log",
  recognises: (frames) => frames.some(isHeader) && frames.some(isLogEntry),
  streams: { text: false, toolCalls: false, thinking: false },
  canAsk: false,
  createMachine: () => createLogMachine(createPiReader(profile, "json")),
});

const isHeader = ({ dir, value }: Frame): boolean => {
  const { type, id, cwd } = asObject(value) ?? {};
  return dir === "out" && type === "session" && typeof id === "string" && typeof cwd === "string";
};

/** The session log on disk begins with the same header. */
const isLogEntry = ({ value }: Frame): boolean => asObject(value)?.parentId !== undefined;

const isRpc = ({ dir, value }: Frame): boolean => {
  const { type, command } = asObject(value) ?? {};
  return dir === "in" ? commands.has(type) : type === "response" ? commands.has(command) : events.has(type);
};

/** Enough names of the rpc mode to distinguish it from dialects that also have prompts and responses. */
const commands = new Set<unknown>([
  ...["new_session", "switch_session", "fork", "clone", "branch", "steer", "follow_up", "get_session_stats"],
  ...["set_thinking_level", "set_session_name", "abort_retry", "get_last_assistant_text", "extension_ui_response"],
]);

const events = new Set<unknown>([
  ...["agent_start", "agent_end", "agent_settled", "message_update", "tool_execution_start", "tool_execution_end"],
  ...["extension_ui_request", "queue_update", "auto_retry_start", "available_commands_update"],
]);
