import { asCount, asObject, asObjects, asText, type Json } from "../kit/json-values.ts";
import { jsonOrText, objectField, SessionDraft, sessionText } from "../kit/session-draft.ts";
import type { SessionLogs, SessionMessage, SessionReader } from "../session-log.ts";
import { tokensOf } from "./items/codex-usage.ts";

/** `<year>/<month>/<day>/rollout-<time>-<session>.jsonl`. A copy contains only what came after the copy was made. */
export const sessions: SessionLogs = {
  files: /(?:^|\/)rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-(?<id>[^/]+)\.jsonl$/,
  createReader: () => new CodexReader(),
};

class CodexReader implements SessionReader {
  readonly log = new SessionDraft();
  /** The current model call, whose items come one by one. */
  #answer: SessionMessage | undefined;
  #isCounted = false;

  record(record: Json): void {
    const payload = asObject(record.payload) ?? {};
    const time = this.log.noteTime(record.timestamp);
    if (record.type === "session_meta") this.begun(payload);
    else if (record.type === "turn_context") this.log.setFacts({ model: payload.model });
    else if (record.type === "token_usage_record") this.used(payload, time);
    else if (record.type === "response_item") itemOf(this, payload, time);
    else if (record.type === "event_msg" && payload.type === "token_count") this.counted(payload, time);
  }

  /** A copy may repeat the header of its original, so the first header counts. */
  begun(payload: Json): void {
    if (this.log.id !== undefined) return;
    const { id, cwd, forked_from_id: forkedFrom, source } = payload;
    this.log.setFacts({ id, cwd, forkedFrom });
    if (asObject(source)?.subagent !== undefined) this.log.isSubagent = true;
  }

  used({ response_id: response, usage }: Json, time: { timestamp?: number }): void {
    // From now on only these records count.
    if (!this.#isCounted) this.log.usage.clear();
    this.#isCounted = true;
    this.#use(asText(response) ?? `${this.log.id} ${this.log.usage.size}`, usage, time);
  }

  /** Older versions repeat this record. The running total identifies the model call. */
  counted({ info }: Json, time: { timestamp?: number }): void {
    if (this.#isCounted) return;
    const sum = asCount(objectField(info, "total_token_usage").total_tokens) ?? 0;
    if (sum > 0) this.#use(`${this.log.id} ${sum}`, asObject(info)?.last_token_usage, time);
  }

  #use(key: string, usage: unknown, time: { timestamp?: number }): void {
    const { input, output, cached, thinking } = tokensOf(usage);
    const { model } = this.log;
    const cacheWriteTokens = asCount(asObject(usage)?.cache_write_input_tokens);
    this.log.addUsage(key, {
      ...(model !== undefined && { model }),
      ...time,
      inputTokens: input,
      outputTokens: output,
      thinkingTokens: thinking,
      cachedTokens: cached,
      ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
    });
    this.#answer = undefined;
  }

  answering(time: { timestamp?: number }): SessionMessage {
    if (this.#answer) return this.#answer;
    const { model } = this.log;
    this.#answer = { role: "assistant", text: "", ...(model !== undefined && { model }), ...time };
    this.log.messages.push(this.#answer);
    return this.#answer;
  }

  add(message: SessionMessage): void {
    this.#answer = undefined;
    this.log.messages.push(message);
  }
}

function itemOf(reader: CodexReader, item: Json, time: { timestamp?: number }): void {
  const type = asText(item.type) ?? "";
  if (type === "message") message(reader, item, time);
  else if (type === "reasoning") {
    const thinking = sessionText(item.summary);
    if (thinking !== "") reader.answering(time).thinking = thinking;
  } else if (type.endsWith("_call_output")) {
    const { text, isError } = outputOf(item.output);
    reader.add({ role: "tool", text, toolResult: { toolCallId: asText(item.call_id) ?? "", isError }, ...time });
  } else if (type.endsWith("_call")) {
    const { call_id: call, id, name, arguments: input, input: raw, action } = item;
    const answer = reader.answering(time);
    answer.toolCalls ??= [];
    answer.toolCalls.push({
      toolCallId: asText(call) ?? asText(id) ?? "",
      toolName: asText(name) ?? type.replace(/_call$/, ""),
      input: jsonOrText(input ?? raw ?? action),
    });
  }
}

function message(reader: CodexReader, { role, content }: Json, time: { timestamp?: number }): void {
  const text = sessionText(content);
  if (role === "assistant") {
    const answer = reader.answering(time);
    answer.text += (answer.text && "\n") + text;
  } else {
    const isPrompt = role === "user" && !asObjects(content).every((block) => injected.test(asText(block.text) ?? ""));
    reader.add({ role: isPrompt ? "user" : "system", text, ...time });
  }
}

/** Text that the agent sends to the model as if the user wrote it. */
const injected =
  /^(?:<(?:environment_context|user_instructions|skill|turn_aborted|subagent_notification)\b|# AGENTS\.md instructions)/;

function outputOf(output: unknown): { text: string; isError: boolean } {
  const whole = asObject(output);
  const text = whole ? sessionText(whole.content ?? whole.output) : sessionText(output);
  const code = /^(?:Exit code: |Chunk ID: [^\n]*\n(?:[^\n]*\n)*?Process exited with code )(-?\d+)/.exec(text)?.[1];
  return { text, isError: whole?.success === false || (code !== undefined && code !== "0") };
}
