import { asArray, asCount, asObject, asObjects, asText, type Json } from "../kit/json-values.ts";
import { millisecondsOf, SessionDraft, sessionText } from "../kit/session-draft.ts";
import type { SessionLogs, SessionMessage, SessionReader } from "../session-log.ts";

/**
 * `<project>/chats/session-<minute>-<start of the id>.jsonl`: a header; messages, which are written again when they
 * grow; and `$set` and `$rewindTo` records, which change what was written.
 */
export const sessions: SessionLogs = {
  files: /^[^/]+\/chats\/session-[^/]*-(?<idStart>[^/-]+)\.jsonl$/,
  createReader: () => new GeminiReader(),
};

class GeminiReader implements SessionReader {
  readonly #draft = new SessionDraft();
  #messages = new Map<string, Json>();

  get log(): SessionDraft {
    this.#draft.messages = [...this.#messages.values()].flatMap(messagesOf);
    return this.#draft;
  }

  record(record: Json): void {
    const back = asText(record.$rewindTo);
    if (back !== undefined) this.#rewind(back);
    else if (asText(record.type) !== undefined) this.#add(record);
    else this.#set(asObject(record.$set) ?? record);
  }

  #set({ sessionId, startTime, lastUpdated, messages, summary, kind }: Json): void {
    this.#draft.setFacts({ id: sessionId, title: summary });
    this.#draft.noteTime(startTime);
    this.#draft.noteTime(lastUpdated);
    if (kind === "subagent") this.#draft.isSubagent = true;
    if (messages === undefined) return;
    this.#messages = new Map();
    for (const message of asObjects(messages)) this.#add(message);
  }

  #add(message: Json): void {
    const id = asText(message.id) ?? `${this.#messages.size}`;
    this.#messages.set(id, message);
    const time = this.#draft.noteTime(message.timestamp);
    if (isContext(message)) this.#draft.setFacts({ cwd: workspace.exec(sessionText(message.content))?.[1] });
    if (message.type !== "gemini") return;
    this.#draft.setFacts({ model: message.model });
    const tokens = asObject(message.tokens);
    if (!tokens) return;
    const [output, thinkingTokens] = [asCount(tokens.output) ?? 0, asCount(tokens.thoughts) ?? 0];
    this.#draft.addUsage(id, {
      ...(asText(message.model) && { model: asText(message.model) as string }),
      ...time,
      inputTokens: asCount(tokens.input) ?? 0,
      outputTokens: output + thinkingTokens,
      thinkingTokens,
      cachedTokens: asCount(tokens.cached) ?? 0,
    });
  }

  /** Removes the message and all after it. */
  #rewind(id: string): void {
    const ids = [...this.#messages.keys()];
    const from = ids.indexOf(id);
    for (const gone of from < 0 ? ids : ids.slice(from)) this.#messages.delete(gone);
  }
}

function messagesOf(message: Json): SessionMessage[] {
  const timestamp = millisecondsOf(message.timestamp);
  const time = timestamp === undefined ? {} : { timestamp };
  const text = sessionText(message.content);
  if (message.type === "user") {
    // The results of tools are stored with the calls as well.
    return text === "" ? [] : [{ role: isContext(message) ? "system" : "user", text, ...time }];
  }
  if (message.type !== "gemini") return [{ role: "system", text, ...time }];
  const model = asText(message.model);
  const thinking = asObjects(message.thoughts).map(({ subject, description }) => `${subject}: ${description}`);
  const calls = asObjects(message.toolCalls);
  const toolCalls = calls.map(({ id, name, args }) => ({
    toolCallId: asText(id) ?? "",
    toolName: asText(name) ?? "",
    input: args ?? {},
  }));
  const said: SessionMessage = { role: "assistant", text, ...(model && { model }), ...time };
  if (thinking.length > 0) said.thinking = thinking.join("\n");
  if (toolCalls.length > 0) said.toolCalls = toolCalls;
  return [said, ...calls.filter(({ result }) => asArray(result).length > 0).map((call) => resultOf(call, time))];
}

function resultOf({ id, result, status }: Json, time: { timestamp?: number }): SessionMessage {
  const text = asObjects(result).map((part) => {
    const response = asObject(asObject(part.functionResponse)?.response);
    return asText(response?.output) ?? asText(response?.error) ?? sessionText([part]);
  });
  const toolResult = { toolCallId: asText(id) ?? "", isError: status !== "success" };
  return { role: "tool", text: text.filter((part) => part !== "").join("\n"), toolResult, ...time };
}

const isContext = (message: Json): boolean => sessionText(message.content).startsWith("<session_context>");

const workspace = /\*\*Workspace Directories:\*\*\n\s+- (.+)/;
