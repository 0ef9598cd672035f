import { asCount, asNumber, asObject, asText, type Json, parseObject } from "../kit/json-values.ts";
import { objectField, SessionDraft } from "../kit/session-draft.ts";
import type { SessionLogs, SessionMessage, SessionReader } from "../session-log.ts";

/** One database for all projects: messages and their parts. */
export const sessions: SessionLogs = {
  database: {
    files: /^opencode\.db$/,
    asOf: "1.18.33",
    tables: {
      session: ["id", "parent_id", "directory", "title", "model", "time_created", "time_updated"],
      message: ["id", "session_id", "time_created", "data"],
      part: ["id", "message_id", "data"],
    },
    sessions: `
      SELECT id, id AS key, parent_id AS parent, time_updated AS updatedAt, time_created AS startedAt,
        directory, title, model
      FROM session
      WHERE EXISTS (SELECT 1 FROM message WHERE session_id = session.id)`,
    records: `
      SELECT message.id AS message, message.data, part.data AS part
      FROM message LEFT JOIN part ON part.message_id = message.id
      WHERE message.session_id = ?
      ORDER BY message.time_created, message.id, part.id`,
  },
  createReader: () => new OpencodeReader(),
};

class OpencodeReader implements SessionReader {
  readonly log = new SessionDraft();
  /** The message that is being read; its results follow it. */
  #id: string | undefined;
  #message: SessionMessage | undefined;
  #failure = "";

  record(record: Json): void {
    const id = asText(record.message);
    if (id === undefined) this.#session(record);
    else {
      const data = parseObject(asText(record.data) ?? "") ?? {};
      if (id !== this.#id) this.#begin(id, data);
      this.#part(parseObject(asText(record.part) ?? "") ?? {}, data);
    }
  }

  #session({ id, directory, title, model, startedAt, parent }: Json): void {
    this.log.noteTime(startedAt);
    this.log.setFacts({ id, cwd: directory, title, model: parseObject(asText(model) ?? "")?.id });
    if (asText(parent) !== undefined) this.log.isSubagent = true;
  }

  #begin(id: string, data: Json): void {
    const times = objectField(data, "time");
    const time = this.log.noteTime(times.created);
    this.log.noteTime(times.completed);
    this.#id = id;
    const model = asText(data.modelID);
    const isAnswer = data.role === "assistant";
    this.#message = { role: isAnswer ? "assistant" : "user", text: "", ...(isAnswer && model && { model }), ...time };
    this.log.messages.push(this.#message);
    if (!isAnswer) return;
    this.#failure = asText(objectField(objectField(data, "error"), "data").message) ?? "";
    this.#message.text = this.#failure;
    this.log.setFacts({ model });
    this.#use(data, time);
  }

  /** A copy of a session has its own messages, with the times of the originals. */
  #use(data: Json, time: { timestamp?: number }): void {
    const tokens = asObject(data.tokens);
    if (!tokens) return;
    const cache = objectField(tokens, "cache");
    const count = (from: Json, name: string) => asCount(from[name]) ?? 0;
    const [cachedTokens, cacheWriteTokens] = [count(cache, "read"), count(cache, "write")];
    const [model, reportedUsd] = [asText(data.modelID), asNumber(data.cost)];
    this.log.addUsage(`${time.timestamp} ${asNumber(objectField(data, "time").completed)} ${model}`, {
      ...(model !== undefined && { model }),
      ...time,
      inputTokens: count(tokens, "input") + cachedTokens + cacheWriteTokens,
      outputTokens: count(tokens, "output") + count(tokens, "reasoning"),
      thinkingTokens: count(tokens, "reasoning"),
      cachedTokens,
      cacheWriteTokens,
      ...(reportedUsd !== undefined && { reportedUsd }),
    });
  }

  #part(part: Json, { mode, role }: Json): void {
    const message = this.#message;
    if (!message) return;
    const text = asText(part.text) ?? "";
    if (part.type === "text") {
      // The failure is shown only if the message has no text.
      if (text !== "" && message.text === this.#failure) message.text = "";
      const isOwn = mode === "compaction" || (role === "user" && part.synthetic === true);
      say(message, text, isOwn, role === "assistant" ? "assistant" : "user");
    }
    if (part.type === "reasoning") message.thinking = joined(message.thinking ?? "", text);
    if (part.type === "tool") this.#call(message, part);
  }

  #call(message: SessionMessage, part: Json): void {
    const state = objectField(part, "state");
    const toolCallId = asText(part.callID) ?? "";
    message.toolCalls ??= [];
    message.toolCalls.push({ toolCallId, toolName: asText(part.tool) ?? "", input: state.input ?? {} });
    if (state.status !== "completed" && state.status !== "error") return;
    const isError = state.status === "error";
    const time = this.log.noteTime(objectField(state, "time").end);
    const text = asText(isError ? state.error : state.output) ?? "";
    this.log.messages.push({ role: "tool", text, toolResult: { toolCallId, isError }, ...time });
  }
}

/** Text that the agent adds to a prompt is left out. A message with nothing else is the agent's. */
function say(message: SessionMessage, text: string, isOwn: boolean, role: "assistant" | "user"): void {
  if (isOwn && message.role !== "system" && message.text !== "") return;
  if (isOwn) message.role = "system";
  else if (message.role === "system") Object.assign(message, { role, text: "" });
  message.text = joined(message.text, text);
}

const joined = (before: string, text: string): string => [before, text].filter((words) => words !== "").join("\n");
