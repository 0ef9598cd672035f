import type { Envelope } from "@spoor/protocol";
import { asText, failureOf, maybe, number, type Payload, present, type Translator, text } from "../translator.ts";
import { withWholeTexts } from "../whole-texts.ts";
import type { AgUiEvent } from "./blocks.ts";
import { createSegments, type Segments, type Usage } from "./segments.ts";

export type { AgUiEvent } from "./blocks.ts";

/**
 * Translates a run into AG-UI 1.0.
 *
 * AG-UI asks a person by ending its run with an interrupt, and goes on in another run. So a run of ours with one approval is
 * two runs of AG-UI on one thread; the second names the first as its parent.
 */
export function agUiTranslator(): Translator<AgUiEvent> {
  const segments = createSegments();
  return withWholeTexts({
    translate(envelope) {
      const { type, data } = envelope;
      segments.begin(envelope);
      const handler = handlers[type] ?? (isOwn(type) ? custom : raw);
      handler(segments, data, envelope);
      return segments.take();
    },
    cut() {
      segments.cut();
      return segments.take();
    },
    reopen() {
      segments.reopen();
      return segments.take();
    },
  });
}

type Handler = (segments: Segments, data: Payload, envelope: Envelope) => void;

const nothing: Handler = () => {};
const raw: Handler = (segments, _, envelope) => segments.add({ type: "RAW", event: envelope, source: "spoor" });
const custom: Handler = (segments, data, { type }) => segments.add({ type: "CUSTOM", name: type, value: data });

const blockKey = (kind: string, data: Payload): string => `${kind}-${data.turn_index}-${data.block_index}`;
const callId = (data: Payload): string => text(data, "tool_call_id");

const textDelta =
  (kind: "text" | "reasoning"): Handler =>
  (segments, data) =>
    segments.write(kind, blockKey(kind, data), text(data, "delta"));

/** A block whose pieces were not delivered comes whole at its end. */
const textComplete =
  (kind: "text" | "reasoning"): Handler =>
  (segments, data) =>
    segments.complete(kind, blockKey(kind, data), text(data, "text"));

/** A call that no model proposed, or whose proposal is lost, begins here. */
function propose(segments: Segments, data: Payload): void {
  segments.openCall(callId(data), text(data, "tool_name"));
  segments.completeCall(callId(data), data.input);
}

const result =
  (content: (data: Payload, type: string) => string): Handler =>
  (segments, data, { event_id, type }) => {
    propose(segments, data);
    segments.add({
      type: "TOOL_CALL_RESULT",
      messageId: event_id,
      toolCallId: callId(data),
      content: content(data, type),
    });
  };
const failed = result((data, type) => failureOf(type, data));

const activity =
  (activityType: string, id: (data: Payload, envelope: Envelope) => string): Handler =>
  (segments, data, envelope) =>
    segments.add({ type: "ACTIVITY_SNAPSHOT", messageId: id(data, envelope), activityType, content: data });

const shellId = (data: Payload, { event_id }: Envelope): string => `shell-${callId(data) || event_id}`;

const handlers: Readonly<Record<string, Handler>> = {
  "run.created": nothing,
  "run.queued": nothing,
  "run.started": nothing,
  "session.started": nothing,
  "session.ended": nothing,
  "run.finished": (segments) => segments.finish({ type: "success" }),
  "run.cancelled": (segments) => segments.finish({ type: "cancelled" }),
  "run.failed": (segments, data) =>
    segments.stop(maybe(data, "message") ?? "The run failed.", maybe(data, "code") ?? "failed"),

  "turn.started": (segments, data) => segments.openStep(`turn-${data.turn_index}`),
  "turn.completed": (segments, data) => segments.closeStep(`turn-${data.turn_index}`),
  "turn.failed": (segments, data, envelope) => {
    custom(segments, data, envelope);
    segments.closeStep(`turn-${data.turn_index}`);
  },

  "user.message": (segments, data, { event_id }) => {
    segments.answered(text(data, "interaction_id"));
    segments.add({ type: "TEXT_MESSAGE_START", messageId: event_id, role: "user" });
    segments.add({ type: "TEXT_MESSAGE_CONTENT", messageId: event_id, delta: text(data, "text") });
    segments.add({ type: "TEXT_MESSAGE_END", messageId: event_id });
  },
  "assistant.message_started": (segments, data) => segments.write("text", blockKey("text", data), ""),
  "assistant.text_delta": textDelta("text"),
  "assistant.text_complete": textComplete("text"),
  "assistant.thinking_started": (segments, data) => segments.write("reasoning", blockKey("reasoning", data), ""),
  "assistant.thinking_delta": textDelta("reasoning"),
  "assistant.thinking_complete": textComplete("reasoning"),
  // The last message says the same.
  "assistant.final_answer": nothing,

  "assistant.tool_call_started": (segments, data) => {
    segments.openCall(callId(data), text(data, "tool_name"));
    segments.writeCall(callId(data), text(data, "input_text"));
  },
  "assistant.tool_call_input_delta": (segments, data) => segments.writeCall(callId(data), text(data, "delta")),
  "assistant.tool_call_proposed": propose,
  "tool.invoked": propose,
  "tool.started": nothing,
  "tool.completed": result((data) => (data.output === undefined ? text(data, "error") : asText(data.output))),
  "tool.failed": failed,
  "tool.cancelled": failed,
  "tool.timed_out": failed,
  "policy.tool_blocked": failed,

  "tool.shell.command": (segments, data, envelope) => segments.openActivity(shellId(data, envelope), "shell", data),
  "tool.shell.output_chunk": (segments, data, envelope) =>
    segments.add({
      type: "ACTIVITY_DELTA",
      messageId: shellId(data, envelope),
      activityType: "shell",
      patch: segments.outputPatch(shellId(data, envelope), { stream: data.stream, text: text(data, "data") }),
    }),
  "tool.shell.exited": (segments, data, envelope) => {
    segments.add({
      type: "ACTIVITY_DELTA",
      messageId: shellId(data, envelope),
      activityType: "shell",
      patch: [{ op: "add", path: "/exit_code", value: number(data, "exit_code") ?? -1 }],
    });
    segments.endActivity(shellId(data, envelope));
  },
  "tool.file.patch": activity("patch", (data, { event_id }) => maybe(data, "artifact_id") ?? event_id),
  "tool.todo_write.updated": activity("plan", (_, { run_id }) => `plan-${run_id}`),

  "approval.requested": (segments, data) =>
    segments.interrupt(
      present({
        id: text(data, "approval_id"),
        reason: "tool_approval",
        message: maybe(data, "summary") ?? maybe(data, "detail"),
        toolCallId: maybe(data, "tool_call_id"),
        expiresAt: maybe(data, "expires_at"),
        metadata: data,
      }),
    ),
  "approval.resolved": (segments, data, envelope) => {
    segments.answered(text(data, "approval_id"));
    custom(segments, data, envelope);
  },
  "approval.timed_out": (segments, data, envelope) => {
    segments.answered(text(data, "approval_id"));
    custom(segments, data, envelope);
  },
  "input.requested": (segments, data) =>
    segments.interrupt({ id: text(data, "interaction_id"), reason: "question", message: text(data, "question") }),

  "subagent.started": (segments, data) => segments.openSubagent(text(data, "subagent_id"), text(data, "agent_name")),
  "subagent.completed": (segments, data) =>
    segments.closeSubagent(text(data, "subagent_id"), { type: "SUBAGENT_FINISHED", result: text(data, "summary") }),
  "subagent.failed": (segments, data) =>
    segments.closeSubagent(text(data, "subagent_id"), { type: "SUBAGENT_ERROR", message: text(data, "error") }),

  "cost.tick": (segments, data, envelope) => {
    segments.setUsage(
      present({
        inputTokens: number(data, "cumulative_input_tokens"),
        outputTokens: number(data, "cumulative_output_tokens"),
        reasoningTokens: number(data, "cumulative_thinking_tokens"),
        cachedInputTokens: number(data, "cumulative_cached_input_tokens"),
        cacheWriteInputTokens: number(data, "cumulative_cache_write_tokens"),
      }) as Usage,
    );
    custom(segments, data, envelope);
  },
};

/** Types in our groups that AG-UI has no word for are told by their name; what callers added is passed on whole. */
const ownGroups = new Set([
  ..."run turn assistant user tool approval policy artifact cost error gap limit".split(" "),
  ..."session plugin skill subagent debug input task".split(" "),
]);
const isOwn = (type: string): boolean => ownGroups.has(type.slice(0, type.indexOf(".")));
