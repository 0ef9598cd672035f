import type { EnvelopeType } from "../envelope/catalog.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { utf8Length } from "../mapping/utf8.ts";
import { note } from "./fold-notes.ts";
import { closeShell } from "./fold-shells.ts";
import { announcedCall, type CallData, callAt, runCall, setCall, setCallFacts } from "./open-call.ts";
import { count, type Handlers, key, oneOf, put, text, when } from "./payload-fields.ts";
import type { TodoView } from "./types.ts";
import type { ToolState } from "./types-work.ts";
import type { Draft } from "./view-draft.ts";

export const tools = {
  "assistant.tool_call_started"(draft, data, envelope) {
    const tool = announcedCall(draft, idOf(data), data, envelope);
    put(draft.lists.tools.edit(tool), { inputText: key(data.input_text) });
  },
  "assistant.tool_call_input_delta"(draft, data, envelope) {
    const call = draft.lists.tools.edit(callAt(draft, idOf(data), data, envelope));
    call.inputText = (call.inputText ?? "") + (text(data.delta) ?? "");
  },
  "assistant.tool_call_proposed"(draft, data, envelope) {
    const tool = announcedCall(draft, idOf(data), data, envelope);
    setCallFacts(draft, tool, data);
    const call = draft.lists.tools.edit(tool);
    put(call, { input: data.input });
    delete call.inputText;
  },
  "tool.invoked"(draft, data, envelope) {
    const tool = callAt(draft, idOf(data), data, envelope);
    setCallFacts(draft, tool, data);
    if (draft.lists.tools.at(tool)?.state === "proposed") runCall(draft, tool, envelope);
  },
  "tool.started"(draft, data, envelope) {
    const tool = callAt(draft, idOf(data), data, envelope);
    setCallFacts(draft, tool, data);
    if (draft.lookup.openCalls.has(tool)) runCall(draft, tool, envelope);
  },
  "tool.completed"(draft, data, envelope) {
    // An MCP tool that answers with an error has completed, but people see a failed call.
    const state = data.result === "tool_error" ? "failed" : data.result === "blocked" ? "blocked" : "completed";
    setOutput(draft, end(draft, data, envelope, state), data.output);
  },
  "tool.failed"(draft, data, envelope) {
    end(draft, data, envelope, data.result === "blocked" ? "blocked" : "failed");
  },
  "tool.cancelled"(draft, data, envelope) {
    end(draft, data, envelope, "cancelled");
  },
  "tool.timed_out"(draft, data, envelope) {
    end(draft, data, envelope, "timed_out");
  },
  "policy.tool_blocked"(draft, data, envelope) {
    end(draft, { ...data, error: key(data.error) ?? data.reason }, envelope, "blocked");
  },
  "tool.file_read.completed": detail,
  "tool.glob.completed": detail,
  "tool.grep.completed": detail,
  "tool.http.requested": detail,
  "tool.http.response": detail,
  "tool.web_fetch.requested": detail,
  "tool.web_fetch.response": detail,
  "tool.web_search.requested": detail,
  "tool.web_search.response": detail,
  "tool.todo_write.updated"(draft, data) {
    if (Array.isArray(data.todos)) draft.run.todos = data.todos.flatMap(todoOf);
  },
} satisfies Handlers;

/** Marks calls that are open at the end of the run as cancelled. */
export function cancelCalls(draft: Draft, envelope: Envelope): void {
  for (const tool of draft.lookup.openCalls) {
    setCall(draft, tool, "cancelled");
    put(draft.lists.tools.edit(tool), { endedAt: when(envelope) });
  }
}

interface EndData extends CallData {
  readonly tool_call_id?: unknown;
  readonly error?: unknown;
  readonly summary?: unknown;
  readonly duration_ms?: unknown;
  readonly result_artifact_id?: unknown;
}

const idOf = (data: { readonly tool_call_id?: unknown }): string => text(data.tool_call_id) ?? "";

/** A rejected call stays blocked when the agent reports it as failed, because it never ran. */
function end(draft: Draft, data: EndData, envelope: Envelope, state: ToolState): number {
  const tool = callAt(draft, idOf(data), data, envelope);
  const call = draft.lists.tools.edit(tool);
  setCallFacts(draft, tool, data);
  setCall(draft, tool, call.state === "blocked" && state === "failed" ? "blocked" : state);
  delete call.inputText;
  put(call, {
    error: text(data.error),
    summary: text(data.summary),
    durationMs: count(data.duration_ms),
    resultArtifactId: key(data.result_artifact_id),
    endedAt: when(envelope),
  });
  closeShell(draft, call.id, envelope);
  return tool;
}

/** The output of a command is in its shell, with a limit. A long output is not stored a second time without a limit. */
function setOutput({ lists, shellOutputLimit }: Draft, tool: number, output: unknown): void {
  const call = lists.tools.edit(tool);
  const isShown = call.shells.some((at) => {
    const shell = lists.shells.at(at);
    return shell && shell.headBytes + shell.tailBytes > 0;
  });
  const bytes = typeof output === "string" && isShown ? utf8Length(output) : 0;
  put(call, bytes > shellOutputLimit ? { outputOmittedBytes: bytes } : { output });
}

function detail(draft: Draft, data: { readonly tool_call_id?: unknown }, envelope: Envelope): void {
  const id = key(data.tool_call_id);
  if (id === undefined) note(draft, data, envelope);
  else {
    const tool = callAt(draft, id, {}, envelope);
    draft.lists.tools.edit(tool).details.push({ type: envelope.type as EnvelopeType, data: envelope.data });
  }
}

function todoOf(value: unknown): TodoView[] {
  const { content, status } = (value ?? {}) as { content?: unknown; status?: unknown };
  if (typeof content !== "string") return [];
  return [{ content, status: oneOf(["pending", "in_progress", "completed", "cancelled"], status) ?? "pending" }];
}
