import type { AgentEvent, AgentEventOf } from "../agent-events/catalog.ts";
import type { ToolKind } from "../agent-events/tool.ts";
import type { approvalKinds } from "../envelope/approval.ts";
import { microsOf } from "./conversion.ts";
import { type StreamState, shellKey } from "./state.ts";
import { utf8Length } from "./utf8.ts";

/** A data field that is computed from the events before, not from the event itself. The decoder ignores it. */
export interface Context {
  readonly how: string;
  readonly value: (event: AgentEvent, state: StreamState) => unknown;
}

export const turnIndex: Context = { how: "the current turn", value: (_, state) => state.turn };
export const textBlock: Context = { how: "the message within the turn", value: (_, state) => state.textBlock };
export const thinkingBlock: Context = { how: "the thought within the turn", value: (_, state) => state.thinkingBlock };

export const toolKind: Context = {
  how: "the kind of its call",
  value: (event, state) => callOf(event, state)?.kind ?? "other",
};

export const fileToolName: Context = {
  how: "the tool of its call, when known",
  value: (event, state) => callOf(event, state)?.name,
};

export const mcpToolName: Context = {
  how: "`mcp__server__tool`",
  value: (event) => {
    const { server, toolName } = event as AgentEventOf<"mcp_tool_call_start">;
    return `mcp__${server}__${toolName}`;
  },
};

export const byteOffset = (stream: "stdout" | "stderr"): Context => ({
  how: "bytes of the stream so far",
  value: (event, state) => state.shells.get(shellKey(event as { toolCallId?: string }))?.[stream] ?? 0,
});

export const notTruncated: Context = { how: "always false, because the agent's output is not cut", value: () => false };

export const diffBytes: Context = {
  how: "bytes of the diff",
  value: (event) => utf8Length((event as AgentEventOf<"file_patch">).diff),
};

export const turnDuration: Context = {
  how: "since the turn began",
  value: (event, state) => event.timestamp - state.turnStartedAt,
};

export const toolCallCount: Context = { how: "calls of the turn", value: (_, state) => state.toolCalls };

export const approvalKind: Context = {
  how: "derived from the kind of the waiting call",
  value: (event, state) => approvalKindOf[callOf(event, state)?.kind ?? "other"],
};

export const answeredKind: Context = {
  how: "the kind of the request, when it is known",
  value: (event, state) => {
    const toolCallId = state.waiting.get((event as AgentEventOf<"approval_granted">).interactionId);
    const call = toolCallId === undefined ? undefined : state.calls.get(toolCallId);
    return call && approvalKindOf[call.kind ?? "other"];
  },
};

/** One line that says what will be done, or at least what kind of action it is. */
export const approvalSummary: Context = {
  how: "first line of `detail`, else `action`",
  value: (event) => {
    const { action, detail } = event as AgentEventOf<"approval_request">;
    return (detail.split("\n", 1)[0] ?? "").slice(0, 200) || action;
  },
};

export const costChange = (count: "inputTokens" | "outputTokens" | "totalUsd"): Context => ({
  how: "since the last tick",
  value: (event, state) => {
    const now = (event as AgentEventOf<"cost">).cost[count];
    const before = state.cost?.[count] ?? 0;
    return count === "totalUsd" ? microsOf(now) - microsOf(before) : now - before;
  },
});

export function callOf(event: AgentEvent, state: StreamState) {
  const { toolCallId } = event as { toolCallId?: string };
  return toolCallId === undefined ? undefined : state.calls.get(toolCallId);
}

const approvalKindOf: Record<ToolKind, (typeof approvalKinds)[number]> = {
  shell: "shell_command",
  edit: "file_write",
  multi_edit: "file_write",
  file_write: "file_write",
  http: "network_egress",
  web_fetch: "network_egress",
  web_search: "network_egress",
  file_read: "agent_loop_tool_call",
  glob: "agent_loop_tool_call",
  grep: "agent_loop_tool_call",
  todo_write: "agent_loop_tool_call",
  mcp: "agent_loop_tool_call",
  subagent: "agent_loop_tool_call",
  other: "agent_loop_tool_call",
};
