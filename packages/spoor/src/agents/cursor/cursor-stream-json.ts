import { textOfContent } from "../kit/content-text.ts";
import { fail, failureOf, interrupted, startFailure } from "../kit/failures.ts";
import { createJsonMachine, frameReaders, type JsonFrameReader } from "../kit/json-machine.ts";
import { asObject, asText, type Json } from "../kit/json-values.ts";
import { SessionTracker } from "../kit/session-tracker.ts";
import { spawnEndSignal } from "../kit/tool-calls.ts";
import { usageSignalsOf } from "../kit/usage-amounts.ts";
import type { Dialect } from "../machine.ts";
import type { Signal } from "../signal.ts";
import { MessageReader } from "./cursor-messages.ts";
import { readResult } from "./cursor-results.ts";
import { type Tool, toolOf } from "./cursor-tools.ts";

export const login = "Run `cursor-agent login`, or set CURSOR_API_KEY.";

/** `-p --output-format stream-json`: one prompt. */
export const streamJson: Dialect = {
  name: "stream-json",
  recognises: (frames) =>
    frames.some(({ value }) => {
      const { type, session_id } = asObject(value) ?? {};
      return spoken.has(String(type)) && typeof session_id === "string";
    }),
  streams: { text: true, toolCalls: false, thinking: true },
  canAsk: false,
  tokensOnly: true,
  createMachine: () => createJsonMachine(createCursorReader()),
};

const spoken = new Set(["system", "user", "assistant", "thinking", "tool_call", "result"]);

function createCursorReader(): JsonFrameReader {
  const speaker = new MessageReader();
  const calls = new Map<string, Tool>();
  const session = new SessionTracker();
  let isDone = false;

  const readers = frameReaders({
    system: readSystem,
    assistant: ({ message, ...frame }) => speaker.text(frame, textOfContent(asObject(message)?.content)),
    thinking: (frame) => speaker.thinking(frame),
    tool_call: readCall,
    result: readEnd,
    error: ({ message }) => [fail(failureOf(undefined, asText(message) ?? "", login))],
  });

  function readSystem(frame: Json): Signal[] | undefined {
    if (frame.subtype !== "init") return undefined;
    isDone = false;
    speaker.begin(asText(frame.model));
    return [...session.update(frame.session_id), { kind: "prompt" }];
  }

  function readCall(frame: Json): Signal[] | undefined {
    const id = asText(frame.call_id);
    if (!id) return undefined;
    const { tool, result } = toolOf(asObject(frame.tool_call) ?? {});
    const known = calls.get(id);
    const begun = known ? [] : [...speaker.called(asText(frame.model_call_id)), ...start(id, tool)];
    if (frame.subtype !== "completed") return begun;
    calls.delete(id);
    speaker.listen();
    return [...begun, ...readResult(id, known ?? tool, result ?? {}), ...reported(id, known ?? tool, result)];
  }

  function start(id: string, tool: Tool): Signal[] {
    calls.set(id, tool);
    const ready: Signal = { kind: "toolReady", id, ...tool };
    if (tool.toolKind !== "subagent") return [ready];
    const name = asText(asObject(asObject(tool.input.subagentType)?.custom)?.name) || tool.name;
    return [ready, { kind: "spawn", id, name, prompt: asText(tool.input.prompt) ?? "" }];
  }

  function readEnd(frame: Json): Signal[] {
    const text = asText(frame.result) ?? "";
    const isError = frame.is_error === true;
    isDone = true;
    return [
      ...spent(asObject(frame.usage) ?? {}),
      ...(isError ? [fail(failureOf(undefined, text || "The agent failed.", login))] : []),
      // The result contains all messages joined into one text.
      { kind: "promptDone", ...(!isError && !speaker.hasOutput && text && { text }) },
    ];
  }

  return {
    frame: (frame) => readers.get(frame.type)?.(frame),
    exit(code, signal, stderr) {
      if (isDone) return [];
      if (signal === "SIGINT" || code === 130) return [fail(interrupted)];
      return [fail(startFailure(code, signal, stderr, login))];
    },
  };
}

/** Cursor reports that a subagent ended, but not what it did. */
function reported(id: string, { toolKind }: Tool, result: Json | undefined): Signal[] {
  if (toolKind !== "subagent") return [];
  const [ending = "error"] = Object.keys(result ?? {});
  return [spawnEndSignal(id, undefined, result?.success === undefined ? ending : undefined)];
}

function spent(usage: Json): Signal[] {
  const { inputTokens: input, outputTokens: output, cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite } = usage;
  return usageSignalsOf({ input, output, cacheRead, cacheWrite });
}
