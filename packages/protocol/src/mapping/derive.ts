import type { AgentEvent, AgentEventOf } from "../agent-events/catalog.ts";
import type { EnvelopeType } from "../envelope/catalog.ts";
import { callOf } from "./context.ts";
import type { Data } from "./conversion.ts";
import { type CallState, type StreamState, shellKey } from "./state.ts";

/** A further envelope made from the same event, for screens and audits. The decoder skips it. */
export interface Derivation {
  readonly type: EnvelopeType;
  readonly place: "before" | "after";
  readonly when: string;
  /** Returns the data, or undefined when this event needs no such envelope. */
  make(event: AgentEvent, state: StreamState): Data | undefined;
}

export const invoked: Derivation = {
  type: "tool.invoked",
  place: "after",
  when: "always",
  make: (event, state) => {
    const { toolCallId } = event as AgentEventOf<"tool_call_ready">;
    const call = state.calls.get(toolCallId);
    return call && callData(toolCallId, call, state);
  },
};

/** Written at the first sign that a call runs, so a refused call has no `tool.started`. */
export const startedByCommand: Derivation = {
  type: "tool.started",
  place: "before",
  when: "the first sign that the call runs",
  make: (event, state) =>
    state.startsAreTold ? undefined : startOnce(shellKey(event as { toolCallId?: string }), state),
};

export const startedByGrant: Derivation = {
  ...startedByCommand,
  place: "after",
  make: (event, state) => {
    const toolCallId = state.waiting.get((event as AgentEventOf<"approval_granted">).interactionId);
    return toolCallId === undefined || state.startsAreTold ? undefined : startOnce(toolCallId, state);
  },
};

/** What a finished call did, by its kind and its input. */
export const kindSpecific: readonly Derivation[] = [
  onResult("tool.glob.completed", "glob", ({ pattern }) => text(pattern) && { pattern }),
  onResult("tool.grep.completed", "grep", ({ pattern, query, regex }) => {
    const searched = text(pattern) ?? text(query) ?? text(regex);
    return searched && { pattern: searched };
  }),
  onResult("tool.todo_write.updated", "todo_write", (_input, _event, { todos }) => todos && { todos }),
  onResult("tool.http.requested", "http", request),
  onResult("tool.http.response", "http", response),
  onResult("tool.web_fetch.requested", "web_fetch", request),
  onResult("tool.web_fetch.response", "web_fetch", response),
  onResult("tool.web_search.requested", "web_search", ({ query }) => text(query) && { query }),
  onResult(
    "tool.web_search.response",
    "web_search",
    ({ query }, event) => text(query) && { duration_ms: event.durationMs },
  ),
];

/** Writing an existing path is an edit; only a new file is a `file_write`. */
export const intents: readonly Derivation[] = [
  intent("tool.multi_edit.proposed", "the call's kind is `multi_edit`", (_, kind) => kind === "multi_edit"),
  intent(
    "tool.edit.proposed",
    "an existing file, by any other call",
    (event, kind) => kind !== "multi_edit" && event.type !== "file_create",
  ),
  intent(
    "tool.file_write.proposed",
    "a new file, by any other call",
    (event, kind) => kind !== "multi_edit" && event.type === "file_create",
  ),
];

/** The last message of a turn is the answer when the turn called no tool, was not retried and was not cut short. */
export const finalAnswer: Derivation = {
  type: "assistant.final_answer",
  place: "before",
  when: "the turn has a message, called no tool and was not cut short",
  make: (event, state) => {
    const { stopReason } = event as AgentEventOf<"turn_end">;
    if (state.lastText === undefined || state.toolCalls > 0 || state.retried) return undefined;
    if (stopReason !== undefined && cutShort.has(stopReason)) return undefined;
    return { turn_index: state.turn, summary: state.lastText };
  },
};

const cutShort = new Set(["max_tokens", "length", "error", "aborted", "cancelled", "canceled", "interrupted"]);

/** The data of `tool.started`; undefined if the call is not open or has started already. */
export function startOnce(toolCallId: string, state: StreamState): Data | undefined {
  const call = state.calls.get(toolCallId);
  if (!call || call.started) return undefined;
  call.started = true;
  return callData(toolCallId, call, state);
}

function callData(tool_call_id: string, { name, kind = "other", mcp }: CallState, { turn }: StreamState): Data {
  const data: Data = { tool_call_id, tool_name: name, kind, turn_index: turn };
  if (!mcp) return data;
  return { ...data, tool_name: `mcp__${mcp.server}__${mcp.tool}`, mcp_server: mcp.server, mcp_tool: mcp.tool };
}

function onResult(
  type: EnvelopeType,
  kind: CallState["kind"],
  read: (input: Data, event: AgentEventOf<"tool_result">, call: CallState) => Data | undefined | "",
): Derivation {
  return {
    type,
    place: "before",
    when: `the call's kind is \`${kind}\` and its input has the needed fields`,
    make: (event, state) => {
      const call = callOf(event, state);
      if (call?.kind !== kind || typeof call?.input !== "object" || call.input === null) return undefined;
      const result = event as AgentEventOf<"tool_result">;
      const data = read(call.input as Data, result, call);
      return data ? { tool_call_id: result.toolCallId, ...data } : undefined;
    },
  };
}

type FileChange = AgentEventOf<"file_write" | "file_create" | "file_patch">;

function intent(
  type: EnvelopeType,
  when: string,
  applies: (event: FileChange, kind: CallState["kind"]) => boolean,
): Derivation {
  return {
    type,
    place: "before",
    when,
    make: (event, state) => {
      const change = event as FileChange;
      if (!applies(change, callOf(event, state)?.kind)) return undefined;
      const data: Data = change.toolCallId === undefined ? {} : { tool_call_id: change.toolCallId };
      return { ...data, path: change.path, auto_apply: true };
    },
  };
}

function request({ url, method }: Data): Data | undefined {
  return text(url) === undefined ? undefined : { method: (text(method) ?? "GET").toUpperCase(), url };
}

function response({ url }: Data, event: AgentEventOf<"tool_result">): Data | undefined {
  return text(url) === undefined ? undefined : { duration_ms: event.durationMs };
}

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
