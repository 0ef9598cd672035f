import { asCount, asObject, asObjects, asText, type Json } from "../kit/json-values.ts";
import { objectField, SessionDraft } from "../kit/session-draft.ts";
import type { SessionLogs, SessionMessage, SessionReader } from "../session-log.ts";

/** `<project folder>/chats/<session>.jsonl`. It also contains the usage of subagents. */
export const sessions: SessionLogs = {
  files: /^[^/]+\/chats\/(?<id>[^/]+)\.jsonl$/,
  createReader: () => new QwenReader(),
};

class QwenReader implements SessionReader {
  readonly log = new SessionDraft();

  record(record: Json): void {
    const time = this.log.noteTime(record.timestamp);
    if (this.log.cwd === undefined) this.log.setFacts({ cwd: record.cwd });
    const parts = asObjects(objectField(record, "message").parts);
    if (record.type === "user") this.#asked(record, parts, time);
    else if (record.type === "assistant") this.#said(record, parts, time);
    else if (record.type === "tool_result") {
      for (const part of parts) this.#result(part, asText(objectField(record, "toolCallResult").status), time);
    } else if (record.type === "system") {
      this.#reported(asText(record.subtype), asObject(record.systemPayload) ?? {}, time);
    }
  }

  #asked({ provenance }: Json, parts: readonly Json[], time: { timestamp?: number }): void {
    const text = wordsOf(parts);
    const isPrompt = provenance === undefined || provenance === "real_user";
    if (text !== "") this.log.messages.push({ role: isPrompt ? "user" : "system", text, ...time });
  }

  #said(record: Json, parts: readonly Json[], time: { timestamp?: number }): void {
    const model = asText(record.model);
    this.log.setFacts({ model });
    const text = wordsOf(parts.filter(({ thought }) => thought !== true));
    const thinking = wordsOf(parts.filter(({ thought }) => thought === true));
    const toolCalls = parts
      .map(({ functionCall }) => asObject(functionCall))
      .filter((call) => call !== undefined)
      .map(({ id, name, args }) => ({ toolCallId: asText(id) ?? "", toolName: asText(name) ?? "", input: args ?? {} }));
    const said: SessionMessage = { role: "assistant", text, ...(model !== undefined && { model }), ...time };
    if (thinking !== "") said.thinking = thinking;
    if (toolCalls.length > 0) said.toolCalls = toolCalls;
    this.log.messages.push(said);
  }

  #result({ functionResponse }: Json, status: string | undefined, time: { timestamp?: number }): void {
    const answer = asObject(functionResponse);
    if (!answer) return;
    const { output, error } = objectField(answer, "response");
    const isError = asText(error) !== undefined || (status !== undefined && status !== "success");
    const toolResult = { toolCallId: asText(answer.id) ?? "", isError };
    this.log.messages.push({ role: "tool", text: asText(output) ?? asText(error) ?? "", toolResult, ...time });
  }

  #reported(subtype: string | undefined, payload: Json, time: { timestamp?: number }): void {
    if (subtype === "custom_title") this.log.setFacts({ title: payload.customTitle });
    const event = objectField(payload, "uiEvent");
    if (subtype !== "ui_telemetry" || event["event.name"] !== "qwen-code.api_response") return;
    const count = (name: string) => asCount(event[name]) ?? 0;
    const [inputTokens, total] = [count("input_token_count"), count("total_token_count")];
    const model = asText(event.model);
    this.log.addUsage(asText(event.response_id) ?? `${timeKey(time)} ${this.log.usage.size}`, {
      ...(model !== undefined && { model }),
      ...time,
      inputTokens,
      // Whether the output includes thinking depends on the provider; the total always does.
      outputTokens: Math.max(count("output_token_count"), total - inputTokens),
      thinkingTokens: count("thoughts_token_count"),
      cachedTokens: count("cached_content_token_count"),
    });
  }
}

const wordsOf = (parts: readonly Json[]): string =>
  parts
    .map(({ text }) => asText(text) ?? "")
    .filter((text) => text !== "")
    .join("\n");

const timeKey = ({ timestamp }: { timestamp?: number }): number => timestamp ?? 0;
