import { textOfContent } from "../../../kit/content-text.ts";
import { imageInputAck, noteOfFrame, rateLimited } from "../../../kit/fact-signals.ts";
import { fail, failureOfExit, interrupted, startFailure } from "../../../kit/failures.ts";
import { frameReaders, type JsonFrameReader } from "../../../kit/json-machine.ts";
import { asObject, asObjects, asText, type Json } from "../../../kit/json-values.ts";
import { omitUndefined } from "../../../kit/omit-undefined.ts";
import { SessionTracker } from "../../../kit/session-tracker.ts";
import { assignToSubagent } from "../../../kit/subagent-signals.ts";
import type { Signal } from "../../../signal.ts";
import { RunCosts } from "./claude-costs.ts";
import { failureOf } from "./claude-failures.ts";
import { createMessageReader, isPaid, type MessageReader, stopped } from "./claude-messages.ts";
import type { ClaudeProfile } from "./claude-profile.ts";
import { readResult } from "./claude-results.ts";
import { createSubagents } from "./claude-subagents.ts";
import { readCompaction, readRetry, readStartup } from "./claude-system.ts";
import { createCalls } from "./claude-tool-calls.ts";

/** Reads the stream-json of one process: any number of prompts, each ended by a result. */
export function createClaudeReader(profile: ClaudeProfile): JsonFrameReader {
  const calls = createCalls(profile);
  const subagents = createSubagents(calls);
  const session = new SessionTracker();
  const spending = new RunCosts();
  const main = createMessageReader(calls);
  let hasStarted = false;
  /** Whether a prompt waits for its result; undefined before the first prompt. */
  let busy: boolean | undefined;

  /** By type; system frames by type and subtype. */
  const readers = frameReaders({
    "system init": readInit,
    "system api_retry": readRetry,
    "system compact_boundary": readCompaction,
    "system permission_denied": calls.deny,
    "system task_started": subagents.started,
    "system task_notification": subagents.notified,
    stream_event: (frame) => speak(frame, readPiece),
    assistant: (frame) => speak(frame, readAssistant),
    user: (frame) => speak(frame, readUser),
    result: readEnd,
    control_request: calls.ask,
    control_cancel_request: calls.withdraw,
    rate_limit_event: ({ rate_limit_info }) =>
      asObject(rate_limit_info)?.status === "rejected" ? [rateLimited()] : undefined,
  });

  /** Reads a frame with the reader of the agent or subagent that it belongs to. */
  function speak(
    frame: Json,
    read: (frame: Json, speaker: MessageReader) => Signal[] | undefined,
  ): Signal[] | undefined {
    const child = asText(frame.parent_tool_use_id);
    if (!child) return read(frame, main);
    const begun = subagents.begin(child);
    return [...begun, ...(assignToSubagent(child, read(frame, subagents.speaking(child))) ?? [noteOfFrame(frame)])];
  }

  /** Comes at the start of every prompt, and when work in the background wakes the agent. */
  function readInit(frame: Json): Signal[] {
    const startup = hasStarted ? [] : readStartup(frame);
    hasStarted = true;
    calls.cwd = asText(frame.cwd) ?? calls.cwd;
    return [...startup, ...begin()];
  }

  function begin(): Signal[] {
    busy = true;
    main.listen();
    return [{ kind: "prompt" }];
  }

  function readAssistant(frame: Json, speaker: MessageReader): Signal[] | undefined {
    const message = asObject(frame.message) ?? {};
    const isError = frame.is_api_error_message === true || message.model === "<synthetic>";
    return isError ? [fail(failureOf(frame, profile.guidance))] : speaker.line(message);
  }

  function readUser(frame: Json, speaker: MessageReader): Signal[] | undefined {
    const content = asObject(frame.message)?.content;
    const blocks = asObjects(content);
    const results = blocks.filter(({ type }) => type === "tool_result");
    speaker.listen();
    // A line with several results has one structured result, and it does not say whose it is.
    const line = results.length === 1 ? frame : { ...frame, tool_use_result: undefined };
    const ended = results.flatMap((result) => [...subagents.result(result), ...readResult(result, line, calls)]);
    if (ended.length > 0) return ended;
    if (/^\[Request interrupted by user/.test(textOfContent(content))) return [fail(interrupted)];
    if (asText(frame.parent_tool_use_id)) return [{ kind: "prompt" }];
    const images = blocks.flatMap(({ source }) => asText(asObject(source)?.media_type) ?? []);
    return frame.isReplay === true && images.length > 0 ? images.map(imageInputAck) : undefined;
  }

  function readEnd(frame: Json): Signal[] {
    const hasFailed = frame.is_error === true;
    const result = hasFailed ? undefined : (main.spokenError ?? spokenIn(frame));
    const reported = { ...frame, ...omitUndefined({ result }) };
    const failure = hasFailed || result !== undefined ? failureOf(reported, profile.guidance) : undefined;
    busy = false;
    return [
      // An interrupted prompt did not stop by itself: its stop reason is that of an earlier call.
      ...(failure === interrupted ? [] : stopped(frame.stop_reason)),
      ...spending.read(frame),
      ...(failure ? [fail(failure)] : []),
      { kind: "promptDone", ...(!failure && omitUndefined({ text: asText(frame.result) })) },
    ];
  }

  /** A result that is an error of the agent although it is marked as a success. */
  function spokenIn({ result, usage }: Json): string | undefined {
    const text = asText(result);
    return text !== undefined && !isPaid(usage) && profile.messageError?.whole.test(text) ? text : undefined;
  }

  return {
    frame(frame) {
      const type = asText(frame.type) ?? "";
      const signals = readers.get(type === "system" ? `system ${asText(frame.subtype)}` : type)?.(frame);
      if (type === "assistant" || type === "stream_event") busy = true;
      if (type === "control_response") busy ??= false;
      // `init` names the session; if other frames come before it, the first of them does.
      const mayEnter = session.id === undefined || frame.subtype === "init";
      if (!signals || !mayEnter) return signals;
      const version = asText(frame.claude_code_version ?? frame.qwen_code_version);
      const sessions = session.update(frame.session_id).map((signal) => ({ ...signal, ...omitUndefined({ version }) }));
      return [...sessions, ...signals];
    },
    sent(frame) {
      if (frame.type === "control_response") return calls.answer(frame);
      // A prompt that is sent while the agent works steers the current one.
      return frame.type === "user" && busy !== true ? begin() : [noteOfFrame(frame)];
    },
    exit(code, signal, stderr) {
      const isDone = busy === false && (session.id !== undefined || (code === 0 && signal === null));
      if (isDone) return [];
      const known = profile.exitFailures?.[code ?? -1] ?? (code === 130 ? interrupted : undefined);
      if (known || session.id !== undefined) return [fail(known ?? failureOfExit(code, signal, stderr))];
      return [fail(startFailure(code, signal, stderr, profile.guidance))];
    },
  };
}

const readPiece = ({ event }: Json, speaker: MessageReader) => speaker.piece(asObject(event) ?? {});
