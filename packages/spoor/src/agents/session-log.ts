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
  record(record: Readonly<Record<string, unknown>>): void;
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
