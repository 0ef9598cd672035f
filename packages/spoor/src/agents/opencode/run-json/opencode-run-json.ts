import { noteOfFrame } from "../../kit/fact-signals.ts";
import { fail } from "../../kit/failures.ts";
import { createJsonMachine, type JsonFrameReader } from "../../kit/json-machine.ts";
import { asObject, asText, type Json } from "../../kit/json-values.ts";
import type { Dialect } from "../../machine.ts";
import type { Signal } from "../../signal.ts";
import { Conversation } from "../conversation/opencode-conversation.ts";
import { errorFailure, exitFailure, isRejected } from "../conversation/opencode-failures.ts";

/** The output of `opencode run --format json`: the finished parts of one prompt, and errors. */
export const runJson: Dialect = {
  name: "run-json",
  recognises: (frames) =>
    frames.some(({ value }) => {
      const frame = asObject(value);
      return frame?.jsonrpc === undefined && kinds.has(frame?.type) && asText(frame?.sessionID) !== undefined;
    }),
  streams: { text: false, toolCalls: false, thinking: false },
  canAsk: false,
  createMachine: () => createJsonMachine(createRunReader()),
};

const kinds = new Set<unknown>(["step_start", "text", "reasoning", "tool_use", "step_finish", "error"]);

function createRunReader(): JsonFrameReader {
  const conversation = new Conversation();
  let hasSession = false;
  let hasFailed = false;
  /** A model call has begun and not ended. */
  let isCalling = false;
  /** Another model call must follow: after tools, unless the user refused one of them, and after a summary. */
  let isDue = false;
  let isRefused = false;
  /** The context was too long. The next message is its summary and looks like any other. */
  let compaction: "due" | "written" | undefined;
  let lastText = "";

  function error(frame: Json): Signal[] {
    const event = errorFailure(asObject(frame.error) ?? {});
    hasFailed = true;
    isCalling = false;
    if (event.type === "context_exceeded") compaction = "due";
    return [fail(event)];
  }

  function text(part: Json): Signal[] | undefined {
    const words = asText(part.text) ?? "";
    if (part.synthetic === true) return goesOn(part);
    if (compaction === "due") {
      conversation.summary += words;
      return [];
    }
    lastText = words;
    return conversation.part(part);
  }

  /** The agent's message to itself after an automatic compaction. */
  function goesOn(part: Json): Signal[] | undefined {
    if (asObject(part.metadata)?.compaction_continue !== true) return undefined;
    const isReported = compaction === "written";
    isDue = true;
    compaction = undefined;
    if (!isReported) conversation.summary = lastText;
    return [...(isReported ? [] : [conversation.compacted()]), noteOfFrame(part)];
  }

  function finish(part: Json): Signal[] | undefined {
    isCalling = false;
    isDue = part.reason === "tool-calls" && !isRefused;
    const signals = conversation.part(part);
    if (!signals || compaction !== "due") return signals;
    isDue = true;
    compaction = "written";
    return [...signals, conversation.compacted()];
  }

  function read(frame: Json): Signal[] | undefined {
    const part = asObject(frame.part);
    if (frame.type === "error") return error(frame);
    if (!part) return undefined;
    if (frame.type === "step_start") {
      isCalling = true;
      isDue = false;
      isRefused = false;
    }
    if (frame.type === "tool_use") isRefused ||= isRejected(asText(asObject(part.state)?.error) ?? "");
    if (frame.type === "text") return text(part);
    if (frame.type === "step_finish") return finish(part);
    return conversation.part(part);
  }

  return {
    frame(frame) {
      const id = asText(frame.sessionID);
      const session: Signal[] = id && !hasSession ? [{ kind: "session", id }, { kind: "prompt" }] : [];
      const signals = read(frame);
      if (!signals) return undefined;
      hasSession ||= session.length > 0;
      return [...session, ...signals];
    },
    exit(code, signal, stderr) {
      // It also exits with 1 after an error from which it recovered. A run that stops during a model call, or before
      // the call that must follow its tools, has failed.
      const isWell = !signal && !isCalling && (hasFailed || (code === 0 && hasSession)) && !isDue;
      return isWell ? [{ kind: "promptDone" }] : [fail(exitFailure(code, signal, stderr))];
    },
  };
}
