import { type Envelope, isEnvelopeType, isTerminalRunType } from "@spoor/protocol";
import { asText, failureOf, maybe, number, type Payload, type Translator, text } from "../translator.ts";
import { withWholeTexts } from "../whole-texts.ts";
import { notify, textBlock, type ZotBlock, type ZotEvent } from "./zot-events.ts";
import { createTurns, type Turns } from "./zot-turns.ts";

export type { ZotEvent } from "./zot-events.ts";

/**
 * Translates a run into the bare events of `zot rpc`.
 *
 * zot ends a turn when the model has answered, and runs the tools of that turn before the next one begins. So a turn of ours in
 * which the model goes on after a result is several turns of zot. If it goes on while tools of its last message still run, what
 * it says waits until they have returned. If a tool reports while the model still writes another call, the report waits.
 */
export function zotTranslator(): Translator<ZotEvent> {
  const turns = createTurns();
  let prompt: { content: ZotBlock[]; time: string } | undefined;
  let held: Envelope[] = [];
  let hasBegun = false;
  let isOver = false;

  function sayPrompt(): void {
    if (prompt) turns.add({ content: prompt.content, time: prompt.time, type: "user_message" });
    prompt = undefined;
  }

  function handle(envelope: Envelope): void {
    const { type, data } = envelope;
    turns.time = envelope.occurred_at;
    if (type === "user.message") {
      sayPrompt();
      prompt = { content: [textBlock(text(data, "text"))], time: envelope.occurred_at };
      return;
    }
    if (type === "user.attachment") {
      if (data.kind === "image") prompt?.content.push(imageOf(data, number(data, "size_bytes")));
      return;
    }
    // The images of a prompt follow its text.
    sayPrompt();
    (handlers[type] ?? (isEnvelopeType(type) ? nothing : unknown))(turns, data, envelope);
  }

  function release(): void {
    const released = held;
    held = [];
    for (const envelope of released) take(envelope);
  }

  function take(envelope: Envelope): void {
    const { type, data } = envelope;
    // The total often follows the tokens of a call.
    if (type !== "cost.tick") turns.used(turns.usage.flush());
    while (held.length > 0 && boundary.test(type)) {
      turns.settle();
      release();
    }
    const waits =
      (turns.isAhead(data) && saysMore.test(type)) ||
      (turns.isWriting(data) && reports.test(type)) ||
      (data.tool_call_id !== undefined && held.some((other) => other.data.tool_call_id === data.tool_call_id));
    if (waits) return void held.push(envelope);
    handle(envelope);
    if (held.length > 0 && !turns.isAhead({}) && !turns.isWriting({})) release();
  }

  return withWholeTexts({
    translate(envelope) {
      if (isOver) return [];
      hasBegun = true;
      take(envelope);
      isOver = isTerminalRunType(envelope.type);
      return turns.take();
    },
    cut() {
      if (!hasBegun || isOver) return [];
      isOver = true;
      fail(turns, "The stream ended before the run.");
      return turns.take();
    },
  });
}

/** What only a later message of the model can hold. */
const saysMore = /^(assistant\.(text|tool_call|image)_|tool\.|policy\.tool_blocked$)/;
/** What only a call can report whose turn is over. */
const reports = /^tool\.(shell\.output_chunk|completed|failed|cancelled|timed_out)$|^policy\.tool_blocked$/;
/** Nothing waits beyond these: every call ends inside its turn. */
const boundary = /^turn\.(started|completed)$|^run\.(finished|failed|cancelled)$/;

type Handler = (turns: Turns, data: Payload, envelope: Envelope) => void;

const nothing: Handler = () => {};
const unknown: Handler = (turns, data, { type }) => turns.add(notify("info", `${type} ${JSON.stringify(data)}`));
const warn =
  (say: (data: Payload) => string): Handler =>
  (turns, data) =>
    turns.add(notify("warn", say(data)));

const blockKey = (data: Payload): string => `${data.turn_index}-${data.block_index}`;
const done: ZotEvent = { type: "done" };

function fail(turns: Turns, message: string): void {
  turns.end("error", message);
  turns.add({ message, type: "error" }, done);
}

const failed: Handler = (turns, data, { type }) => turns.endCall(data, [textBlock(failureOf(type, data))], true);

const handlers: Readonly<Record<string, Handler>> = {
  "turn.started": (turns) => turns.next(),
  "turn.failed": (turns, data) => turns.stop("error", maybe(data, "message") ?? maybe(data, "code")),
  "turn.completed": (turns, data) => turns.stop(maybe(data, "stop_reason")),
  // The answer of the model is saved before its tools run.
  "run.checkpoint_saved": (turns) => turns.answered(),

  "assistant.text_delta": (turns, data) => turns.write(blockKey(data), text(data, "delta")),
  "assistant.text_complete": (turns, data) => turns.complete(blockKey(data), text(data, "text")),
  "assistant.image_output": (turns, data) =>
    turns.show(imageOf(data, Buffer.byteLength(text(data, "base64"), "base64"))),
  "assistant.tool_call_started": (turns, data) => {
    turns.startCall(data);
    turns.writeCall(data, text(data, "input_text"));
  },
  "assistant.tool_call_input_delta": (turns, data) => turns.writeCall(data, text(data, "delta")),
  "assistant.tool_call_proposed": (turns, data) => turns.proposeCall(data, data.input ?? {}),

  "tool.invoked": (turns, data) => turns.startCall(data),
  // A command that nobody proposed is the step of a task.
  "tool.shell.command": (turns, data) =>
    maybe(data, "tool_call_id") && turns.proposeCall(data, { command: text(data, "command_string") }),
  "tool.shell.output_chunk": (turns, data) => maybe(data, "tool_call_id") && turns.progress(data, text(data, "data")),
  "tool.completed": (turns, data) => {
    const { output = maybe(data, "error") ?? "" } = data;
    turns.endCall(data, isContent(output) ? output : [textBlock(asText(output))], data.result === "tool_error");
  },
  "tool.failed": failed,
  "tool.cancelled": failed,
  "tool.timed_out": failed,
  "policy.tool_blocked": failed,

  "cost.token_usage": (turns, data) => turns.usage.call(data),
  "cost.tick": (turns, data) => turns.used(turns.usage.total(data)),
  "limit.context_compacted": (turns, data) => turns.add({ summary: text(data, "summary"), type: "compact_done" }),

  "run.finished": (turns) => {
    turns.end();
    turns.add(done);
  },
  "run.cancelled": (turns) => {
    turns.end("aborted");
    turns.add(done);
  },
  "run.failed": (turns, data) =>
    fail(turns, maybe(data, "message") ?? maybe(data, "error") ?? maybe(data, "code") ?? "The run failed."),

  "approval.requested": warn(
    (data) =>
      `The run waits for permission: ${maybe(data, "detail") ?? maybe(data, "summary") ?? maybe(data, "action") ?? text(data, "kind")}. ` +
      `Answer with \`spoor approve ${text(data, "approval_id")}\` or \`spoor deny ${text(data, "approval_id")}\`.`,
  ),
  "input.requested": warn((data) => `The agent asks: ${text(data, "question")} Answer with \`spoor answer\`.`),
  "error.upstream": (turns, data) => {
    const isLast =
      data.retriable !== true || (number(data, "attempt") ?? 0) >= (number(data, "max_attempts") ?? Infinity);
    // The last one is told by the end of the turn and of the run.
    if (!isLast) turns.add(notify("warn", `The model's provider failed: ${text(data, "message")}`));
  },
  "error.tool_unavailable": warn((data) => `${text(data, "tool_name")} is not available: ${text(data, "reason")}`),
  "error.reported": (turns, data) => {
    // One that ends the run is told at its end.
    if (data.recoverable === true) turns.add(notify("warn", text(data, "message")));
  },
  "gap.events_pruned": warn(() => "The oldest events of the run were deleted."),
  "gap.events_lost": warn(() => "Some events of the run are lost."),
  "gap.run_disconnected": warn((data) => `The run lost its process (${text(data, "action")}).`),
};

/** zot tells the size of a picture instead of the picture. It is 0 where nobody knows it. */
const imageOf = (data: Payload, bytes = 0): ZotBlock => ({ bytes, mime_type: text(data, "mime"), type: "image" });

const contentTypes: ReadonlySet<unknown> = new Set(["text", "image"]);

/** Whether a tool returned what zot's tools return. */
const isContent = (output: unknown): output is ZotBlock[] =>
  Array.isArray(output) && output.length > 0 && output.every((block) => contentTypes.has(block?.type));
