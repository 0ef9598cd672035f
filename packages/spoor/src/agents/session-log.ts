import { asCount, asObject, asObjects, asText, type Json } from "./kit/json-machine.ts";

/**
 * How an agent writes down what was said: files of JSON lines, a database, or both. Where they are stands with
 * `about.sessions`.
 */
export interface SessionLogs {
  /** Which files there are a session each, by path with `/`. The group `id` is the session's, `idStart` its beginning. */
  readonly files?: RegExp;
  /** Further files of a session, by the same `id`: those of its subagents. What they used counts, not what they said. */
  readonly parts?: RegExp;
  readonly database?: SessionDatabase;
  createReader(): SessionReader;
}

/** SQLite files, as data: opening them without leaving a trace is the work of who reads them. */
export interface SessionDatabase {
  /** Which files they are, by path with `/`. */
  readonly files: RegExp;
  /** The version of the agent that has these tables. */
  readonly asOf: string;
  /** The columns that are read, by table. Where one is missing, the store is of a kind that nobody here knows. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
  /**
   * Every session in which something was said: `id`; `key`, by which `records` knows it; `parent`, the key of the session
   * it helps, or null; `updatedAt`, milliseconds. The row is the first record of the session.
   */
  readonly sessions: string;
  /** The further records of the session with a key, in order. */
  readonly records: string;
}

/** Reads one session, record by record. Pure, and content with whatever it is given. */
export interface SessionReader {
  record(record: Json): void;
  /** What is known so far. */
  readonly log: SessionLog;
}

export interface SessionLog {
  id?: string;
  /** What the agent or its user calls it. */
  title?: string;
  cwd?: string;
  model?: string;
  startedAt?: number;
  updatedAt?: number;
  /** The session it is a copy of. */
  forkedFrom?: string;
  /** It is another session's helper, not something a person would go on with. */
  isSubagent?: true;
  readonly messages: readonly SessionMessage[];
  /** What each model call used, by a key that is the same in copies of the session. */
  readonly usage: ReadonlyMap<string, SessionUsage>;
}

export interface SessionMessage {
  role: "user" | "assistant" | "system" | "tool";
  text: string;
  thinking?: string;
  toolCalls?: SessionToolCall[];
  /** Which call a message of role `tool` answers. */
  toolResult?: { toolCallId: string; isError: boolean };
  model?: string;
  timestamp?: number;
}

export interface SessionToolCall {
  toolCallId: string;
  toolName: string;
  input: unknown;
}

/** Input includes cache reads and writes; output includes thinking. */
export interface SessionUsage {
  model?: string;
  timestamp?: number;
  inputTokens: number;
  outputTokens: number;
  thinkingTokens?: number;
  cachedTokens?: number;
  cacheWriteTokens?: number;
  /** What the agent says it cost, in dollars. */
  reportedUsd?: number;
}

/** A log in the making. */
export class SessionDraft implements SessionLog {
  id?: string;
  title?: string;
  cwd?: string;
  model?: string;
  startedAt?: number;
  updatedAt?: number;
  forkedFrom?: string;
  isSubagent?: true;
  messages: SessionMessage[] = [];
  readonly usage = new Map<string, SessionUsage>();

  /** Something happened at this time, as the agent writes it; the first counts as the start. */
  at(time: unknown): { timestamp?: number } {
    const timestamp = timeOf(time);
    if (timestamp === undefined) return {};
    this.startedAt ??= timestamp;
    this.updatedAt = Math.max(this.updatedAt ?? timestamp, timestamp);
    return { timestamp };
  }

  /** The last record of a model call wins, at the time of the first. */
  use(key: string, usage: SessionUsage): void {
    const timestamp = this.usage.get(key)?.timestamp ?? usage.timestamp;
    this.usage.set(key, { ...usage, ...(timestamp !== undefined && { timestamp }) });
  }

  /** Sets what is text, and leaves the rest as it was. */
  tell(facts: { [Name in "id" | "title" | "cwd" | "model" | "forkedFrom"]?: unknown }): void {
    for (const name of ["id", "title", "cwd", "model", "forkedFrom"] as const) {
      const text = asText(facts[name]);
      if (text !== undefined && text !== "") this[name] = text;
    }
  }
}

/** Milliseconds, of an ISO time or a number of them. */
export function timeOf(value: unknown): number | undefined {
  if (typeof value === "number") return asCount(value);
  const time = Date.parse(asText(value) ?? "");
  return Number.isNaN(time) ? undefined : time;
}

/** The words of a message: text as it is, or blocks that have some. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return asObjects(content)
    .map((block) => asText(block.text) ?? (block.type === "image" ? "[image]" : ""))
    .filter((text) => text !== "")
    .join("\n");
}

/** Text that is JSON as a value; else as it is. */
export function parsed(text: unknown): unknown {
  if (typeof text !== "string") return text ?? {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The field of an object in an object. */
export const within = (value: unknown, name: string): Json => asObject(asObject(value)?.[name]) ?? {};
