/** How an agent stores its sessions: JSON lines in files, a database, or both. `about.sessions` says where. */
export interface SessionLogs {
  /**
   * Matches the files that each hold one session, by path with `/`. The group `id` is the session's id; `idStart` is
   * the beginning of the id.
   */
  readonly files?: RegExp;
  /**
   * Matches further files of a session, with the same group `id`: those of its subagents. Their usage counts; their
   * messages are left out.
   */
  readonly parts?: RegExp;
  readonly database?: SessionDatabase;
  createReader(): SessionReader;
}

/** SQLite files, described as data. The reader opens them without leaving a trace. */
export interface SessionDatabase {
  /** Matches the database files, by path with `/`. */
  readonly files: RegExp;
  /** The agent's version that has these tables. */
  readonly asOf: string;
  /** The columns that are read, by table. If one is missing, the database has an unknown format. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
  /**
   * Selects every session that has messages: `id`; `key`, the parameter of `records`; `parent`, the key of the parent
   * session, or null; `updatedAt` in milliseconds. The row is the first record of the session.
   */
  readonly sessions: string;
  /** Selects the further records of the session with a key, in order. */
  readonly records: string;
}

/** Reads one session, record by record. Pure. Accepts any input and ignores what it cannot read. */
export interface SessionReader {
  record(record: Readonly<Record<string, unknown>>): void;
  /** The log as read so far. */
  readonly log: SessionLog;
}

/** One session as the agent stored it. */
export interface SessionLog {
  id?: string;
  /** The title that the agent or its user gave the session. */
  title?: string;
  cwd?: string;
  model?: string;
  startedAt?: number;
  updatedAt?: number;
  /** The session that this one was copied from. */
  forkedFrom?: string;
  /** The session belongs to a subagent; a user would not continue it. */
  isSubagent?: true;
  readonly messages: readonly SessionMessage[];
  /** The usage of each model call. A call has the same key in copies of the session. */
  readonly usage: ReadonlyMap<string, SessionUsage>;
}

/** One message of a stored session. */
export interface SessionMessage {
  role: "user" | "assistant" | "system" | "tool";
  text: string;
  thinking?: string;
  toolCalls?: SessionToolCall[];
  /** The tool call that a message of role `tool` answers. */
  toolResult?: { toolCallId: string; isError: boolean };
  model?: string;
  timestamp?: number;
}

/** One tool call of a stored session. */
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
  /** The cost that the agent reports, in dollars. */
  reportedUsd?: number;
}
