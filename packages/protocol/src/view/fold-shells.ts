import type { Envelope } from "../envelope/envelope.ts";
import { callAt, runCall } from "./open-call.ts";
import { count, type Handlers, key, keys, number, put, text, when } from "./payload-fields.ts";
import { keepOutput } from "./shell-output.ts";
import type { ShellView } from "./types-work.ts";
import { add, type Draft } from "./view-draft.ts";

export const shells = {
  "tool.shell.command"(draft, data, envelope) {
    const id = key(data.tool_call_id);
    closeShell(draft, id ?? "", envelope);
    const shell = draft.lists.shells.edit(openShell(draft, id, envelope));
    const command = key(data.command_string) ?? keys(data.argv).join(" ");
    put(shell, { command, cwd: text(data.cwd), startedAt: when(envelope) });
  },
  "tool.shell.output_chunk"(draft, data, envelope) {
    const shell = draft.lists.shells.edit(shellAt(draft, key(data.tool_call_id), envelope));
    const stream = data.stream === "stderr" ? "stderr" : "stdout";
    const piece = { stream, text: text(data.data) ?? "" } as const;
    keepOutput(shell, piece, count(data.byte_offset), draft.shellOutputLimit);
  },
  "tool.shell.exited"(draft, data, envelope) {
    const id = key(data.tool_call_id);
    put(draft.lists.shells.edit(shellAt(draft, id, envelope)), {
      exitCode: number(data.exit_code),
      signal: key(data.signal),
      truncated: data.truncated === true,
      stdoutBytes: count(data.stdout_bytes),
      stderrBytes: count(data.stderr_bytes),
      durationMs: count(data.duration_ms),
    });
    closeShell(draft, id ?? "", envelope);
  },
} satisfies Handlers;

/** Ends the running shell of a call, if any. */
export function closeShell({ lists, lookup }: Draft, toolCallId: string, envelope: Envelope): void {
  const shell = lookup.shells.get(toolCallId);
  if (shell === undefined) return;
  put(lists.shells.edit(shell), { running: false, endedAt: when(envelope) });
  lookup.shells.delete(toolCallId);
}

/** Returns the running shell of a call. Opens a shell whose start was not seen. */
const shellAt = (draft: Draft, id: string | undefined, envelope: Envelope): number =>
  draft.lookup.shells.get(id ?? "") ?? openShell(draft, id, envelope);

function openShell(draft: Draft, id: string | undefined, envelope: Envelope): number {
  const { lists, lookup } = draft;
  const tool = id === undefined ? undefined : callAt(draft, id, { kind: "shell" }, envelope);
  const shell: ShellView = {
    command: "",
    running: true,
    head: [],
    headBytes: 0,
    omittedBytes: 0,
    tail: [],
    tailBytes: 0,
    stdoutBytes: 0,
    stderrBytes: 0,
    truncated: false,
  };
  const at = add(draft, "shells", put(shell, { toolCallId: id }), tool);
  lookup.shells.set(id ?? "", at);
  if (tool !== undefined) {
    lists.tools.edit(tool).shells.push(at);
    if (lookup.openCalls.has(tool)) runCall(draft, tool, envelope);
  }
  return at;
}
