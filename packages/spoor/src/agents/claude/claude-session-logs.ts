import { asArray, asCount, asObject, asObjects, asText, type Json } from "../kit/json-values.ts";
import { objectField, SessionDraft, sessionText } from "../kit/session-draft.ts";
import type { SessionLogs, SessionMessage, SessionReader } from "../session-log.ts";

/** `<project folder>/<session>.jsonl`. The logs of subagents are in a folder with the session's name. */
export const sessions: SessionLogs = {
  files: /^[^/]+\/(?<id>[^/]+)\.jsonl$/,
  parts: /^[^/]+\/(?<id>[^/]+)\/subagents\/[^/]+\.jsonl$/,
  createReader: () => new ClaudeReader(),
};

class ClaudeReader implements SessionReader {
  readonly log = new SessionDraft();
  /** A message is stored as one record per block. */
  readonly #messages = new Map<string, SessionMessage>();
  readonly #seen = new Set<string>();

  record(record: Json): void {
    const uuid = asText(record.uuid);
    if (uuid !== undefined && this.#seen.has(uuid)) return;
    if (uuid !== undefined) this.#seen.add(uuid);
    if (record.isSidechain !== true && this.log.cwd === undefined) this.log.setFacts({ cwd: record.cwd });
    const type = asText(record.type) ?? "";
    if (Object.hasOwn(readers, type)) readers[type]?.(this, record);
  }

  said(record: Json): void {
    const message = asObject(record.message) ?? {};
    const time = this.log.noteTime(record.timestamp);
    const key = asText(message.id) ?? asText(record.uuid) ?? `${this.#messages.size}`;
    const model = asText(message.model);
    // A message that the agent wrote in the model's place.
    const isOwn = model === "<synthetic>";
    if (!isOwn) this.#use(key, message, time);
    if (record.isSidechain === true) return;
    if (!isOwn) this.log.setFacts({ model });
    const known = this.#messages.get(key);
    const said = known ?? { role: "assistant", text: "", ...(model && !isOwn && { model }), ...time };
    for (const block of blocksOf(message.content)) addBlock(said, block);
    if (known) return;
    this.#messages.set(key, said);
    this.log.messages.push(said);
  }

  asked(record: Json): void {
    if (record.isSidechain === true) return;
    const time = this.log.noteTime(record.timestamp);
    const blocks = blocksOf(objectField(record, "message").content);
    for (const { tool_use_id: id, is_error: isError, content } of blocks.filter(isResult)) {
      const toolResult = { toolCallId: asText(id) ?? "", isError: isError === true };
      this.log.messages.push({ role: "tool", text: sessionText(content), toolResult, ...time });
    }
    const text = sessionText(blocks.filter((block) => !isResult(block)));
    if (text === "") return;
    const isInternal = record.isMeta === true || record.isCompactSummary === true || internal.test(text);
    this.log.messages.push({ role: isInternal ? "system" : "user", text, ...time });
  }

  #use(key: string, message: Json, time: { timestamp?: number }): void {
    const usage = asObject(message.usage);
    if (!usage) return;
    const count = (name: string) => asCount(usage[name]) ?? 0;
    const [cachedTokens, cacheWriteTokens] = [count("cache_read_input_tokens"), count("cache_creation_input_tokens")];
    const thinkingTokens = asCount(objectField(usage, "output_tokens_details").thinking_tokens);
    const model = asText(message.model);
    this.log.addUsage(key, {
      ...(model !== undefined && { model }),
      ...time,
      inputTokens: count("input_tokens") + cachedTokens + cacheWriteTokens,
      outputTokens: count("output_tokens"),
      ...(thinkingTokens !== undefined && { thinkingTokens }),
      cachedTokens,
      cacheWriteTokens,
    });
  }
}

const readers: Readonly<Record<string, (reader: ClaudeReader, record: Json) => void>> = {
  user: (reader, record) => reader.asked(record),
  assistant: (reader, record) => reader.said(record),
  summary: ({ log }, { summary }) => log.setFacts({ title: log.title ?? summary }),
  "ai-title": ({ log }, { aiTitle }) => log.setFacts({ title: log.title ?? aiTitle }),
  "custom-title": ({ log }, { customTitle }) => log.setFacts({ title: customTitle }),
  // This record comes long before the model's first message.
  attachment: ({ log }, { attachment }) => {
    if (log.model === undefined) log.setFacts({ model: objectField(attachment, "identity").modelId });
  },
};

const blocksOf = (content: unknown): readonly Json[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : asObjects(asArray(content));

/** Commands to the agent itself and their output, and notifications about background work. */
const internal =
  /^<(?:command-name|command-message|local-command-\w+|bash-input|bash-stdout|task-notification|system-reminder)>/;

const isResult = ({ type }: Json): boolean => type === "tool_result";

function addBlock(message: SessionMessage, block: Json): void {
  if (block.type === "text") message.text += (message.text && "\n") + (asText(block.text) ?? "");
  if (block.type === "thinking" && asText(block.thinking)) {
    message.thinking = (message.thinking ? `${message.thinking}\n` : "") + asText(block.thinking);
  }
  if (block.type !== "tool_use") return;
  const call = { toolCallId: asText(block.id) ?? "", toolName: asText(block.name) ?? "", input: block.input ?? {} };
  message.toolCalls = [...(message.toolCalls ?? []), call];
}
