import { asCount, asObject, asObjects, asText, type Json } from "../kit/json-values.ts";
import { objectField, SessionDraft } from "../kit/session-draft.ts";
import type { SessionLogs, SessionMessage, SessionReader } from "../session-log.ts";

/** `<session>/events.jsonl`: the events of the session; those of its subagents have an `agentId`. */
export const sessions: SessionLogs = {
  files: /^(?<id>[^/]+)\/events\.jsonl$/,
  createReader: () => new CopilotReader(),
};

class CopilotReader implements SessionReader {
  readonly log = new SessionDraft();

  record(record: Json): void {
    const data = asObject(record.data) ?? {};
    const time = this.log.noteTime(record.timestamp);
    const { type } = record;
    if (type === "session.usage_record") this.#used(objectField(data, "usage"), time);
    if (record.agentId !== undefined) return;
    if (type === "session.start") {
      this.log.setFacts({ id: data.sessionId, cwd: objectField(data, "context").cwd, model: data.selectedModel });
    }
    if (type === "session.title_changed") this.log.setFacts({ title: data.title });
    if (type === "session.model_change") this.log.setFacts({ model: data.newModel });
    const said = Object.hasOwn(messages, asText(type) ?? "") ? messages[asText(type) ?? ""]?.(data) : undefined;
    if (said) this.log.messages.push({ ...said, ...time });
  }

  /** `cost` counts requests, not money, so it is ignored. */
  #used(usage: Json, time: { timestamp?: number }): void {
    const count = (name: string) => asCount(usage[name]) ?? 0;
    const model = asText(usage.model);
    this.log.addUsage(asText(usage.apiCallId) ?? `${time.timestamp} ${this.log.usage.size}`, {
      ...(model !== undefined && { model }),
      ...time,
      inputTokens: count("inputTokens"),
      outputTokens: count("outputTokens"),
      thinkingTokens: count("reasoningTokens"),
      cachedTokens: count("cacheReadTokens"),
      cacheWriteTokens: count("cacheWriteTokens"),
    });
  }
}

const messages: Readonly<Record<string, (data: Json) => SessionMessage>> = {
  "user.message": ({ content, isAutopilotContinuation }) => ({
    role: isAutopilotContinuation === true ? "system" : "user",
    text: asText(content) ?? "",
  }),
  "assistant.message": (data) => answerOf(data),
  "tool.execution_complete": (data) => ({
    role: "tool",
    text: asText(objectField(data, "result").content) ?? asText(objectField(data, "error").message) ?? "",
    toolResult: { toolCallId: asText(data.toolCallId) ?? "", isError: data.success === false },
  }),
};

function answerOf(data: Json): SessionMessage {
  const model = asText(data.model);
  const thinking = asText(data.reasoningText);
  const calls = asObjects(data.toolRequests);
  const said: SessionMessage = {
    role: "assistant",
    text: asText(data.content) ?? "",
    ...(model && { model }),
  };
  if (thinking) said.thinking = thinking;
  if (calls.length > 0) {
    said.toolCalls = calls.map(({ toolCallId, name, arguments: input }) => ({
      toolCallId: asText(toolCallId) ?? "",
      toolName: asText(name) ?? "",
      input: input ?? {},
    }));
  }
  return said;
}
