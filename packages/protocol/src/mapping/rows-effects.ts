import { byteOffset, diffBytes, fileToolName, notTruncated } from "./context.ts";
import { cost, runRef } from "./conversion.ts";
import { intents, startedByCommand } from "./derive.ts";
import { ofCall, type Row, row } from "./row.ts";

const subagent = { subagentId: "subagent_id", agentName: "agent_name" };
const change = { kind: "file", operation: "write", artifact_status: "applied" };
const outputEnd = {
  adds: { stdout_bytes: byteOffset("stdout"), stderr_bytes: byteOffset("stderr"), truncated: notTruncated },
};

/** What calls do: files, shells and subagents. */
export const effectRows: readonly Row[] = [
  row("file_read", "tool.file_read.completed", { path: "path", ...ofCall }),
  row(
    "file_patch",
    "tool.file.patch",
    { path: "path", diff: "diff", ...ofCall },
    {
      fixed: change,
      marks: ["artifact_status", "diff"],
      adds: { tool_name: fileToolName, diff_bytes: diffBytes },
      derived: intents,
    },
  ),
  row(
    "file_create",
    "tool.file.patch",
    { path: "path", byteCount: "bytes_written", ...ofCall },
    {
      fixed: { ...change, before_existed: false },
      marks: ["artifact_status", "before_existed"],
      adds: { tool_name: fileToolName },
      derived: intents,
    },
  ),
  row(
    "file_write",
    "tool.file.patch",
    { path: "path", byteCount: "bytes_written", ...ofCall },
    {
      fixed: { ...change, before_existed: true },
      marks: ["artifact_status"],
      adds: { tool_name: fileToolName },
      derived: intents,
    },
  ),
  row("file_delete", "tool.file.deleted", { path: "path", ...ofCall }),

  row(
    "shell_start",
    "tool.shell.command",
    { command: "command_string", cwd: "cwd", ...ofCall },
    { derived: [startedByCommand] },
  ),
  row(
    "shell_stdout_delta",
    "tool.shell.output_chunk",
    { delta: "data", ...ofCall },
    { fixed: { stream: "stdout" }, marks: ["stream"], adds: { byte_offset: byteOffset("stdout") } },
  ),
  row(
    "shell_stderr_delta",
    "tool.shell.output_chunk",
    { delta: "data", ...ofCall },
    { fixed: { stream: "stderr" }, adds: { byte_offset: byteOffset("stderr") } },
  ),
  row("shell_exit", "tool.shell.exited", { exitCode: "exit_code", durationMs: "duration_ms", ...ofCall }, outputEnd),

  row("subagent_spawn", "subagent.started", { ...subagent, prompt: "prompt", childRunId: runRef("child_run_id") }),
  row("subagent_result", "subagent.completed", { ...subagent, summary: "summary", cost }),
  row("subagent_error", "subagent.failed", { ...subagent, error: "error" }),
];
