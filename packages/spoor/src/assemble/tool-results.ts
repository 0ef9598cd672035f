import type { McpTool, ToolEnd } from "../agents/signal.ts";
import type { Emitter } from "./emitter.ts";

export interface EndedCall {
  name: string;
  mcp: McpTool | undefined;
  durationMs(): number;
}

/** Emits the result or the error of a tool call. */
export function emitResult(emitter: Emitter, end: ToolEnd, call: EndedCall): void {
  if (call.mcp) emitMcpResult(emitter, end, call.mcp, call.durationMs());
  else if (end.error === undefined) {
    const durationMs = call.durationMs();
    emitter.emit("tool_result", { toolCallId: end.id, toolName: call.name, output: end.output ?? null, durationMs });
  } else {
    const outcome = end.outcome && { outcome: end.outcome };
    emitter.emit("tool_error", { toolCallId: end.id, toolName: call.name, error: end.error, ...outcome });
  }
}

function emitMcpResult(emitter: Emitter, end: ToolEnd, { server, tool }: McpTool, durationMs: number): void {
  const call = { toolCallId: end.id, server, toolName: tool, durationMs };
  if (end.error === undefined) emitter.emit("mcp_tool_result", { ...call, output: end.output ?? null });
  else {
    const protocol = end.protocol === undefined ? {} : { protocol: end.protocol };
    const outcome = end.outcome && { outcome: end.outcome };
    emitter.emit("mcp_tool_error", { ...call, error: end.error, ...protocol, ...outcome });
  }
}

/** Emits what a successful call did to files. */
export function emitFiles(emitter: Emitter, { id, files = [] }: ToolEnd): void {
  for (const file of files) {
    const at = { path: file.path, toolCallId: id };
    if (file.op === "read") emitter.emit("file_read", at);
    else if (file.op === "delete") emitter.emit("file_delete", at);
    else if (file.op === "patch") emitter.emit("file_patch", { ...at, diff: file.diff });
    else if (file.op === "create") emitter.emit("file_create", { ...at, byteCount: file.byteCount });
    else emitter.emit("file_write", { ...at, byteCount: file.byteCount });
  }
}
