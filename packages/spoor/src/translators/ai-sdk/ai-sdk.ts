import type { Envelope } from "@spoor/protocol";
import { failureOf, maybe, type Payload, type Translator, text } from "../translator.ts";
import { withWholeTexts } from "../whole-texts.ts";
import { type AiSdkChunk, createParts, type Parts } from "./parts.ts";

export type { AiSdkChunk } from "./parts.ts";

/**
 * Translates a run into the UI message stream of the AI SDK 7: the whole run is one message of the assistant. Tools are
 * dynamic, because each agent has its own. What the stream has no word for is a data part named after the event.
 */
export function aiSdkTranslator(): Translator<AiSdkChunk> {
  const parts = createParts();
  return withWholeTexts({
    translate(envelope) {
      parts.begin(envelope);
      (handlers[envelope.type] ?? other)(parts, envelope.data, envelope);
      return parts.take();
    },
    cut() {
      parts.end([{ type: "abort", reason: "The stream ended before the run." }]);
      return parts.take();
    },
  });
}

type Handler = (parts: Parts, data: Payload, envelope: Envelope) => void;

const nothing: Handler = () => {};
const callId = (data: Payload): string => text(data, "tool_call_id");
const blockKey = (data: Payload): string => `${data.turn_index}-${data.block_index}`;

/** A data part that stays in the message; a later one with the same id replaces it. */
const kept =
  (name: string, id: (data: Payload, envelope: Envelope) => string): Handler =>
  (parts, data, envelope) =>
    parts.add({ type: `data-${name}`, id: id(data, envelope), data });
const once = (name: string): Handler => kept(name, (_, { event_id }) => event_id);

/** Passed on while it happens, and not kept in the message. */
const other: Handler = (parts, _, envelope) => parts.add({ type: "data-event", data: envelope, transient: true });

const toolError: Handler = (parts, data, { type }) => {
  const toolCallId = callId(data);
  // The approval says why.
  if (parts.isDenied(toolCallId)) return parts.endCall(data, { type: "tool-output-denied", toolCallId });
  parts.endCall(data, { type: "tool-output-error", toolCallId, errorText: failureOf(type, data), dynamic: true });
};

function decide(parts: Parts, data: Payload, status: string, reason: string | undefined): void {
  parts.amend("approval", text(data, "approval_id"), { ...data, status });
  parts.decide(text(data, "approval_id"), status, reason);
}

const handlers: Readonly<Record<string, Handler>> = {
  "run.created": nothing,
  "run.queued": nothing,
  "run.started": nothing,
  "session.started": nothing,
  "session.ended": nothing,
  "run.finished": (parts) => parts.end([{ type: "finish", finishReason: "stop" }]),
  "run.cancelled": (parts, data) =>
    parts.end([{ type: "abort", reason: maybe(data, "reason") ?? "The run was cancelled." }]),
  "run.failed": (parts, data) =>
    parts.end([
      { type: "error", errorText: maybe(data, "message") ?? maybe(data, "code") ?? "The run failed." },
      { type: "finish", finishReason: "error" },
    ]),

  "turn.started": (parts) => parts.openStep(),
  "turn.completed": (parts) => parts.closeStep(),
  "turn.failed": (parts, data, envelope) => {
    once("turn-failed")(parts, data, envelope);
    parts.closeStep();
  },

  "user.message": (parts, data, envelope) => {
    once("prompt")(parts, data, envelope);
    const question = maybe(data, "interaction_id");
    if (question) parts.amend("question", question, { answer: text(data, "text") });
  },
  "assistant.message_started": (parts, data) => parts.write("text", blockKey(data), ""),
  "assistant.text_delta": (parts, data) => parts.write("text", blockKey(data), text(data, "delta")),
  "assistant.text_complete": (parts, data) => parts.complete("text", blockKey(data), text(data, "text")),
  "assistant.thinking_started": (parts, data) => parts.write("reasoning", blockKey(data), ""),
  "assistant.thinking_delta": (parts, data) => parts.write("reasoning", blockKey(data), text(data, "delta")),
  "assistant.thinking_complete": (parts, data) => parts.complete("reasoning", blockKey(data), text(data, "text")),
  // The last message says the same.
  "assistant.final_answer": nothing,

  "assistant.tool_call_started": (parts, data) => {
    parts.startCall(data);
    parts.writeCall(callId(data), text(data, "input_text"));
  },
  "assistant.tool_call_input_delta": (parts, data) => parts.writeCall(callId(data), text(data, "delta")),
  "assistant.tool_call_proposed": (parts, data) => parts.proposeCall(data),
  "tool.invoked": (parts, data) => parts.invokeCall(data),
  "tool.started": nothing,
  "tool.completed": (parts, data, envelope) => {
    // An MCP tool that answers with an error has completed, but people see a failed call.
    if (data.result === "tool_error" || data.result === "blocked") return toolError(parts, data, envelope);
    const { output = maybe(data, "error") ?? null } = data;
    parts.endCall(data, { type: "tool-output-available", toolCallId: callId(data), output, dynamic: true });
  },
  "tool.failed": toolError,
  "tool.cancelled": toolError,
  "tool.timed_out": toolError,
  "policy.tool_blocked": toolError,

  "approval.requested": (parts, data) => {
    parts.keep("approval", text(data, "approval_id"), data);
    parts.askFor(text(data, "approval_id"), callId(data));
  },
  "approval.resolved": (parts, data) => decide(parts, data, text(data, "decision"), maybe(data, "comment")),
  "approval.timed_out": (parts, data) => decide(parts, data, "timed_out", "Nobody answered in time."),
  "input.requested": (parts, data) => parts.keep("question", text(data, "interaction_id"), data),

  "tool.shell.output_chunk": (parts, data, envelope) =>
    parts.add({ type: "data-shell-output", id: envelope.event_id, data }),
  "tool.file.patch": kept("patch", (data, { event_id }) => maybe(data, "artifact_id") ?? event_id),
  "tool.todo_write.updated": kept("plan", () => "plan"),
  "subagent.started": kept("subagent", (data) => text(data, "subagent_id")),
  "subagent.completed": kept("subagent", (data) => text(data, "subagent_id")),
  "subagent.failed": kept("subagent", (data) => text(data, "subagent_id")),
  "cost.tick": kept("cost", () => "cost"),
  "gap.events_pruned": once("gap"),
  "gap.events_lost": once("gap"),
  "gap.run_disconnected": once("gap"),
};
