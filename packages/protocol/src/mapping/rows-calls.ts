import { mcpToolName, toolKind, turnIndex } from "./context.ts";
import { knownKind, textIfAny } from "./conversion.ts";
import { invoked, kindSpecific } from "./derive.ts";
import { inTurn, ofCall, type Row, row } from "./row.ts";
import { callSummary } from "./summary.ts";

const call = { toolCallId: "tool_call_id", toolName: "tool_name" };
const callEnd = { kind: toolKind, turn_index: turnIndex };
const mcpCall = { toolCallId: "tool_call_id", server: "mcp_server", toolName: "mcp_tool" };
const mcpAdds = { tool_name: mcpToolName, turn_index: turnIndex };
const mcp = { kind: "mcp" };
const mcpEnd = { durationMs: "duration_ms", protocol: "protocol" };
const mcpOutcome = (outcome: string, result: string) => ({
  when: { outcome },
  fixed: { ...mcp, result },
  marks: ["mcp_server", "mcp_tool"],
  adds: mcpAdds,
});

/** Tool calls, MCP calls included. */
export const callRows: readonly Row[] = [
  row(
    "tool_call_start",
    "assistant.tool_call_started",
    { ...call, toolKind: knownKind, inputAccumulated: textIfAny("input_text") },
    inTurn,
  ),
  row("tool_input_delta", "assistant.tool_call_input_delta", { ...ofCall, delta: "delta" }, inTurn),
  row(
    "mcp_tool_call_start",
    "assistant.tool_call_proposed",
    { ...mcpCall, input: "input" },
    { fixed: mcp, marks: ["mcp_server", "mcp_tool"], adds: mcpAdds, derived: [invoked] },
  ),
  row(
    "tool_call_ready",
    "assistant.tool_call_proposed",
    { ...call, toolKind: knownKind, input: "input" },
    { ...inTurn, derived: [invoked] },
  ),
  row("mcp_tool_error", "tool.cancelled", { ...mcpCall, error: "error", ...mcpEnd }, mcpOutcome("cancelled", "failed")),
  row("mcp_tool_error", "tool.timed_out", { ...mcpCall, error: "error", ...mcpEnd }, mcpOutcome("timed_out", "failed")),
  row(
    "mcp_tool_error",
    "policy.tool_blocked",
    { ...mcpCall, error: "reason", ...mcpEnd },
    mcpOutcome("blocked", "blocked"),
  ),
  row(
    "mcp_tool_error",
    "tool.completed",
    { ...mcpCall, error: "error", durationMs: "duration_ms", outcome: "outcome" },
    {
      when: { protocol: false },
      fixed: { ...mcp, result: "tool_error", protocol: false },
      marks: ["mcp_server", "mcp_tool", "result"],
      adds: { ...mcpAdds, summary: callSummary },
    },
  ),
  row(
    "mcp_tool_result",
    "tool.completed",
    { ...mcpCall, output: "output", durationMs: "duration_ms" },
    {
      fixed: { ...mcp, result: "dispatched" },
      marks: ["mcp_server", "mcp_tool"],
      adds: { ...mcpAdds, summary: callSummary },
    },
  ),
  row(
    "tool_result",
    "tool.completed",
    { ...call, output: "output", durationMs: "duration_ms" },
    { adds: { ...callEnd, summary: callSummary }, derived: kindSpecific },
  ),
  row(
    "mcp_tool_error",
    "tool.failed",
    { ...mcpCall, error: "error", ...mcpEnd, outcome: "outcome" },
    { fixed: { ...mcp, result: "failed" }, marks: ["mcp_server", "mcp_tool"], adds: mcpAdds },
  ),
  row("tool_error", "tool.cancelled", { ...call, error: "error" }, { when: { outcome: "cancelled" }, adds: callEnd }),
  row("tool_error", "tool.timed_out", { ...call, error: "error" }, { when: { outcome: "timed_out" }, adds: callEnd }),
  row(
    "tool_error",
    "policy.tool_blocked",
    { ...call, error: "reason" },
    { when: { outcome: "blocked" }, adds: callEnd },
  ),
  row("tool_error", "tool.failed", { ...call, error: "error", outcome: "outcome" }, { adds: callEnd }),
];
