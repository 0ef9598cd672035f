import { asCount, asNumber, asObject, asObjects, asText, type Json } from "../kit/json-values.ts";
import { millisecondsOf, SessionDraft, sessionText } from "../kit/session-draft.ts";
import type { SessionLogs, SessionMessage, SessionReader } from "../session-log.ts";

/** `<project folder>/<time>_<session>.jsonl`: a header, then entries that name their parent. */
export const sessions: SessionLogs = {
  files: /^[^/]+\/[^/_]+_(?<id>[^/]+)\.jsonl$/,
  createReader: () => new PiReader(),
};

class PiReader implements SessionReader {
  readonly #draft = new SessionDraft();
  readonly #entries: Json[] = [];

  /** Contains the messages of the latest branch. */
  get log(): SessionDraft {
    this.#draft.messages = branchOf(this.#entries).flatMap(messagesOf);
    return this.#draft;
  }

  record(record: Json): void {
    const { type, id, cwd, title, name, model, modelId, timestamp } = record;
    const time = this.#draft.noteTime(timestamp);
    if (type === "session") {
      const parent = asText(record.parentSession);
      const forkedFrom = parent && (/_([^/\\_]+)\.jsonl$/.exec(parent)?.[1] ?? parent);
      this.#draft.setFacts({ id, cwd, title, forkedFrom });
      return;
    }
    if (type === "title" || type === "session_info") this.#draft.setFacts({ title: title ?? name });
    if (type === "model_change") this.#draft.setFacts({ model: modelId ?? model });
    if (asText(id) === undefined) return;
    this.#entries.push(record);
    this.#use(record, time);
  }

  /** Counts the usage of every branch, since all were paid for. */
  #use(entry: Json, time: { timestamp?: number }): void {
    const message = asObject(entry.message);
    const usage = asObject(message?.usage);
    if (message?.role !== "assistant" || !usage) return;
    const count = (name: string) => asCount(usage[name]) ?? 0;
    const [cachedTokens, cacheWriteTokens] = [count("cacheRead"), count("cacheWrite")];
    const reportedUsd = asNumber(asObject(usage.cost)?.total);
    const model = asText(message.model);
    this.#draft.setFacts({ model });
    this.#draft.addUsage(asText(message.responseId) ?? `${asText(entry.id)} ${time.timestamp}`, {
      ...(model !== undefined && { model }),
      ...time,
      inputTokens: count("input") + cachedTokens + cacheWriteTokens,
      outputTokens: count("output"),
      thinkingTokens: count("reasoning"),
      cachedTokens,
      cacheWriteTokens,
      ...(reportedUsd !== undefined && { reportedUsd }),
    });
  }
}

/** Follows the parents from the last entry back. If a parent is missing, the entry before it in the file is used. */
function branchOf(entries: readonly Json[]): Json[] {
  const places = new Map(entries.map(({ id }, place) => [asText(id), place]));
  const branch: Json[] = [];
  let place = entries.length - 1;
  while (place >= 0) {
    const entry = entries[place];
    if (!entry) break;
    branch.push(entry);
    if (entry.parentId === null) break;
    const parent = places.get(asText(entry.parentId));
    // Only backwards, because the entries of a damaged file could form a cycle.
    place = parent !== undefined && parent < place ? parent : place - 1;
  }
  return branch.reverse();
}

function messagesOf(entry: Json): SessionMessage[] {
  const message = asObject(entry.message);
  const timestamp = millisecondsOf(entry.timestamp);
  const time = timestamp === undefined ? {} : { timestamp };
  if (entry.type === "compaction" || entry.type === "branch_summary") {
    return [{ role: "system", text: asText(entry.summary) ?? "", ...time }];
  }
  if (entry.type !== "message" || !message) return [];
  const text = sessionText(message.content);
  if (message.role === "toolResult") {
    const toolResult = { toolCallId: asText(message.toolCallId) ?? "", isError: message.isError === true };
    return [{ role: "tool", text, toolResult, ...time }];
  }
  if (message.role !== "assistant") {
    return text === "" ? [] : [{ role: message.role === "user" ? "user" : "system", text, ...time }];
  }
  const blocks = asObjects(message.content);
  const thinking = blocks.map(({ thinking }) => asText(thinking) ?? "").filter((text) => text !== "");
  const calls = blocks.filter(({ type }) => type === "toolCall");
  const model = asText(message.model);
  const failure = asText(message.errorMessage);
  const said: SessionMessage = { role: "assistant", text: text || (failure ?? ""), ...(model && { model }), ...time };
  if (thinking.length > 0) said.thinking = thinking.join("\n");
  if (calls.length > 0) {
    said.toolCalls = calls.map(({ id, name, arguments: input }) => ({
      toolCallId: asText(id) ?? "",
      toolName: asText(name) ?? "",
      input: input ?? {},
    }));
  }
  return [said];
}
