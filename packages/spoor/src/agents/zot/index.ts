import { createJsonMachine } from "../kit/json-machine.ts";
import { asObject } from "../kit/json-values.ts";
import type { Adapter, Dialect, Frame } from "../machine.ts";
import { about } from "./about-zot.ts";
import { createZotReader } from "./zot-events.ts";
import { zotLive } from "./zot-live.ts";

const streams = { text: true, toolCalls: true, thinking: false };

/** `zot rpc`: JSON lines in both directions; the process outlives its prompts. */
const rpc: Dialect = {
  name: "rpc",
  recognises: (frames) => frames.some(isOfRpc),
  streams,
  canAsk: false,
  createMachine: () => createJsonMachine(createZotReader({ stays: true })),
  live: zotLive,
};

/** `zot --json`: the events of one prompt. */
const json: Dialect = {
  name: "json",
  recognises: (frames) => frames.some(isEvent) && !frames.some(isOfRpc),
  streams,
  canAsk: false,
  createMachine: () => createJsonMachine(createZotReader({ stays: false })),
};

export const zot: Adapter = { name: "zot", title: "zot", isDocumentedOnly: true, about, dialects: [rpc, json] };

const typeOf = ({ value }: Frame): string => String(asObject(value)?.type);

const isOfRpc = (frame: Frame): boolean =>
  frame.dir === "in" ? commands.has(typeOf(frame)) : typeOf(frame) === "response" && isAnswer(frame);

const isAnswer = ({ value }: Frame): boolean => typeof asObject(value)?.success === "boolean";

const isEvent = (frame: Frame): boolean => frame.dir === "out" && events.has(typeOf(frame));

const commands = new Set([
  ...["hello", "prompt", "abort", "compact", "get_state", "get_messages", "clear", "set_model", "set_reasoning"],
  ...["get_models", "ping"],
]);

const events = new Set([
  ...["user_message", "turn_start", "assistant_start", "text_delta", "tool_use_start", "tool_call", "tool_result"],
  ...["assistant_message", "turn_end", "error", "done"],
]);
