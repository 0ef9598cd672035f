import { contextLimitWarning, noteOfFrame } from "../../../kit/fact-signals.ts";
import { type FrameReader, frameReaders, type JsonFrameReader } from "../../../kit/json-machine.ts";
import { asCount, asObject, asText, type Json } from "../../../kit/json-values.ts";
import { UsageTotals } from "../../../kit/usage-totals.ts";
import type { Signal } from "../../../signal.ts";
import { createSubagents } from "../calls/pi-subagents.ts";
import { createCalls } from "../calls/pi-tool-calls.ts";
import type { PiProfile } from "../pi-profile.ts";
import { compactionFacts, extensionFacts, imageFacts, retryFacts, startupFacts } from "./pi-facts.ts";
import { createMessages } from "./pi-messages.ts";
import { createSessions } from "./pi-sessions.ts";
import { createPromptLifecycle } from "./prompt-lifecycle.ts";

/**
 * Reads the events that the json and the rpc mode share, and those that only one of them has. Subagents send the same
 * events; the main agent also reports the subagents of its subagents.
 */
export function createPiReader(profile: PiProfile, mode: "json" | "rpc" | "subagent"): JsonFrameReader {
  const totals = new UsageTotals();
  const sessions = createSessions(totals);
  const life = createPromptLifecycle(profile.loginGuidance, mode !== "json", sessions, totals);
  const calls = createCalls(profile);
  const messages = createMessages(calls, totals);
  const subagents = mode === "subagent" ? undefined : createSubagents(() => createPiReader(profile, "subagent"));
  let contextWindow = 0;

  const messageStart: FrameReader = ({ message: reported }) => {
    const message = asObject(reported) ?? {};
    // Messages of other roles are complete in their end event.
    if (message.role !== "assistant") return [];
    life.call();
    return messages.start(message);
  };

  const messageEnd: FrameReader = (frame) => {
    const message = asObject(frame.message) ?? {};
    if (message.role === "assistant") return [...messages.end(message), ...life.callEnded(message)];
    if (message.role === "toolResult") return calls.end(message, message);
    if (message.role === "system") return [...startupFacts(message), noteOfFrame(frame)];
    if (message.role === "user") messages.show(imageFacts(message));
    return undefined;
  };

  /** Only an automatic compaction shows that the context is nearly full. */
  const compactionStart: FrameReader = (frame) => [
    ...(frame.reason === "manual" ? [] : [contextLimitWarning(totals.lastTokens, contextWindow)]),
    noteOfFrame(frame),
  ];

  const compactionEnd: FrameReader = (frame) => {
    const reported = compactionFacts(frame) ?? [noteOfFrame(frame)];
    return frame.willRetry === true ? reported : [...reported, ...life.gaveUp()];
  };

  /** If no model was called, the prompt was a command of the agent itself. */
  const promptWithoutModel = ({ agentInvoked }: Json): Signal[] | undefined =>
    agentInvoked === false ? [...life.start(), ...life.done()] : undefined;

  const response: FrameReader = (frame) => {
    const data = asObject(frame.data) ?? {};
    const isPrompt = frame.command === "prompt";
    if (frame.command === "set_subagent_subscription") subagents?.track(data.level);
    messages.think(data.thinkingLevel);
    contextWindow = asCount(asObject(data.model)?.contextWindow) ?? contextWindow;
    if (frame.success !== false) {
      return [...sessions.answered(frame), noteOfFrame(frame), ...((isPrompt && promptWithoutModel(data)) || [])];
    }
    const refused = isPrompt ? life.refused(asText(frame.error) ?? "The prompt was refused.") : [];
    return [noteOfFrame(frame, "warn"), ...refused];
  };

  /** Adds the news about subagents to the signals of the call that spawned them. */
  const withSubagents = (reported: Signal[] | undefined, result: unknown): Signal[] | undefined => {
    const news = subagents?.states(asObject(asObject(result)?.details)?.progress);
    return news ? [...(reported ?? []), ...news] : reported;
  };

  const readers = frameReaders({
    session: sessions.header,
    agent_start: life.start,
    agent_end: life.end,
    agent_settled: life.done,
    // A message of the model begins each turn and names the model.
    turn_start: () => [],
    turn_end: () => [],
    message_start: messageStart,
    message_update: messages.update,
    message_end: messageEnd,
    tool_execution_start: ({ toolCallId, toolName, args }) => calls.ready(toolCallId, toolName, args),
    tool_execution_update: (frame) => withSubagents(calls.update(frame), frame.partialResult),
    tool_execution_end: (frame) => withSubagents(calls.end(frame, asObject(frame.result) ?? {}), frame.result),
    subagent_lifecycle: ({ payload }) => subagents?.states([payload]),
    subagent_progress: ({ payload }) => subagents?.states([asObject(payload)?.progress]),
    subagent_event: ({ payload }) => subagents?.event(asObject(payload) ?? {}),
    auto_retry_start: retryFacts,
    auto_retry_end: (frame) => [noteOfFrame(frame), ...(frame.success === true ? [] : life.gaveUp())],
    compaction_start: compactionStart,
    compaction_end: compactionEnd,
    auto_compaction_start: compactionStart,
    auto_compaction_end: compactionEnd,
    thinking_level_changed: ({ level, thinkingLevel }) => messages.think(level ?? thinkingLevel),
    notice: (frame) => [noteOfFrame(frame, frame.level === "warning" ? "warn" : "verbose")],
    prompt_result: promptWithoutModel,
    extension_ui_request: calls.ask,
    extension_error: extensionFacts,
    response,
  });

  const sent = frameReaders({
    prompt: life.prompted,
    abort: life.abort,
    extension_ui_response: calls.answer,
    switch_session: sessions.asked,
  });

  return {
    frame(frame) {
      life.heard();
      return readers.get(frame.type)?.(frame) ?? [noteOfFrame(frame)];
    },
    sent: (frame) => sent.get(frame.type)?.(frame),
    exit: life.exit,
  };
}
