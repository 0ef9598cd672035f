/**
 * The tables of durable state beside the events, as data: a store makes its statements and its checks from this, and a test
 * compares it with the schema that the migrations make. `runs` is not among them: an append changes a run's row through
 * `facts`.
 *
 * Times are epoch milliseconds. A type with `?` may be null. JSON is text here; whoever reads it parses it.
 */
export const tables = {
  /** What was asked. A task that only groups recorded runs has no `spec`. */
  tasks: {
    key: "task_id",
    columns: {
      task_id: "text",
      created_at: "integer",
      updated_at: "integer?",
      kind: "text?",
      title: "text?",
      spec: "text?",
      priority: "integer?",
      active_run_id: "text?",
      deleted_at: "integer?",
    },
    indexes: [],
  },
  /** Runs that wait for a worker, or have one. A greater `priority` is served first. */
  queue: {
    key: "run_id",
    columns: {
      run_id: "text",
      kind: "text",
      priority: "integer",
      due_at: "integer",
      enqueued_at: "integer",
      worker_id: "text?",
      lease_until: "integer?",
      epoch: "integer?",
    },
    indexes: [["worker_id", "priority", "enqueued_at"]],
  },
  approvals: {
    key: "approval_id",
    columns: {
      approval_id: "text",
      run_id: "text",
      task_id: "text?",
      tool_call_id: "text?",
      interaction_id: "text?",
      kind: "text?",
      tool: "text?",
      status: "text",
      action: "text?",
      action_hash: "text?",
      cwd: "text?",
      rule: "text?",
      reason: "text?",
      risk: "text?",
      diff: "text?",
      diff_artifact_id: "text?",
      requested_at: "integer",
      expires_at: "integer?",
      default_action: "text?",
      decision: "text?",
      by: "text?",
      comment: "text?",
      resolved_at: "integer?",
    },
    indexes: [["run_id"], ["status", "requested_at"], ["status", "expires_at"]],
  },
  artifacts: {
    key: "artifact_id",
    columns: {
      artifact_id: "text",
      run_id: "text",
      task_id: "text?",
      tool_call_ids: "text?",
      group_id: "text?",
      kind: "text",
      status: "text?",
      path: "text?",
      mode: "text?",
      operation: "text?",
      before_existed: "integer?",
      base_revision: "text?",
      result_revision: "text?",
      sha256: "text?",
      size: "integer?",
      additions: "integer?",
      deletions: "integer?",
      attribution: "text?",
      mime: "text?",
      name: "text?",
      /** What only readers of one artifact need, as JSON. */
      details: "text?",
      /** The hunks that the file has, as JSON, once some of them were chosen. */
      applied_hunks: "text?",
      /** What a change of files is about to do, as JSON. */
      pending: "text?",
      created_at: "integer",
      updated_at: "integer?",
      applied_at: "integer?",
      reverted_at: "integer?",
    },
    indexes: [
      ["run_id"],
      ["task_id"],
      ["kind", "status"],
      ["group_id"],
      ["sha256"],
      ["base_revision"],
      ["result_revision"],
    ],
  },
  /** Contents by their hash. `bytes` is null if they are in a file. `used_at` is the last commit that named the content. */
  blobs: {
    key: "sha256",
    columns: { sha256: "text", size: "integer", bytes: "blob?", used_at: "integer?" },
    indexes: [],
  },
  commands: {
    key: "command_id",
    columns: {
      command_id: "text",
      run_id: "text",
      kind: "text",
      body: "text?",
      by: "text?",
      created_at: "integer",
      done_at: "integer?",
      outcome: "text?",
      detail: "text?",
      sequence: "integer?",
    },
    indexes: [["run_id"]],
  },
  /** What an HTTP request with an `Idempotency-Key` made. */
  requests: {
    key: "key",
    columns: { key: "text", body_hash: "text", made: "text", created_at: "integer" },
    indexes: [["created_at"]],
  },
  workspaces: {
    key: "path",
    columns: {
      path: "text",
      run_id: "text?",
      mode: "text?",
      shared: "integer?",
      generation: "integer?",
    },
    indexes: [["run_id"]],
  },
  /**
   * How far something that reads the log has come, such as an exporter or a webhook: everything up to `position` is done.
   * `state` is what else it must know after a restart.
   */
  cursors: {
    key: "name",
    columns: { name: "text", position: "integer", state: "text?", updated_at: "integer" },
    indexes: [],
  },
} as const satisfies Record<string, TableShape>;

/** The name of a table. */
export type Table = keyof typeof tables;
export const tableNames = Object.keys(tables) as Table[];

export type ColumnType = "text" | "text?" | "integer" | "integer?" | "blob?";

export interface TableShape {
  key: string;
  columns: Readonly<Record<string, ColumnType>>;
  /** The columns of each index. Every index ends with the key. */
  indexes: readonly (readonly string[])[];
}

/** The columns of a table. */
export type Column<T extends Table> = keyof (typeof tables)[T]["columns"] & string;

/** The values of a column of this type. */
export type ValueOf<C> = C extends "text"
  ? string
  : C extends "text?"
    ? string | null
    : C extends "integer"
      ? number
      : C extends "integer?"
        ? number | null
        : Uint8Array | null;

/** One value of a row. */
export type Value = string | number | null | Uint8Array;

/** A row of a table, with every column. Without a parameter: a row of any table. */
export type Row<T extends Table = Table> = {
  [K in T]: { -readonly [C in Column<K>]: ValueOf<(typeof tables)[K]["columns"][C]> };
}[T];

/** A row to insert. Columns that may be null may be left out. */
export type NewRow<T extends Table = Table> = {
  [K in T]: Partial<Row<K>> & { [C in RequiredColumn<K>]: Row<K>[C] };
}[T];

/** The columns that a new row must give. */
export type RequiredColumn<T extends Table> = {
  [C in Column<T>]: (typeof tables)[T]["columns"][C] extends "text" | "integer" ? C : never;
}[Column<T>];
