import type { Table } from "./tables.ts";

/**
 * Says why the log refused or failed; `hint` says what to do about it.
 *
 * @example
 * await openLog({ directory: "/proc/runs" }).catch((error) => {
 *   if (error instanceof LogError) console.error(error.code, error.message, error.hint);
 * });
 */
export class LogError extends Error {
  override readonly name = "LogError";
  readonly code: LogErrorCode;
  readonly hint: string;
  /** With `conflict`: the row that stood in the way, as it is stored. Absent if there is no such row. */
  readonly row?: Readonly<Record<string, unknown>>;
  /** With `conflict`: the table of that row. */
  readonly table?: Table | "runs";

  constructor(code: LogErrorCode, message: string, options?: ErrorOptions & Pick<LogError, "row" | "table">) {
    super(message, options);
    this.code = code;
    this.hint = hints[code];
    if (options?.row) this.row = options.row;
    if (options?.table) this.table = options.table;
  }
}

const hints = {
  fenced: "Another process took over as the producer of this run; stop writing to it.",
  bad_event: "A type has at least two parts with a dot between them, of lowercase letters, digits and _.",
  reserved_type: "Choose a type whose first part is your own name, or external.event.",
  conflict: "Somebody else changed this first. Look at the row again, and repeat the request if it still applies.",
  bad_row: "The columns of each table and their types are listed in `spoor/log` as `tables`.",
  run_exists: "Choose another run id.",
  run_not_found: "List the runs with `spoor ls`.",
  disk_full: "Free some disk space. `spoor prune` frees more, but needs a little itself. Committed events are safe.",
  write_failed:
    "The disk refused a write. Committed events are safe. Check the disk, then open the log again; restart the server if one runs.",
  removed: "Events that were written since then are lost. Start again: that creates a new log there.",
  damaged: "Run `spoor verify` to see what is damaged; `spoor export` exports the runs that are intact.",
  unreadable:
    "No command can read this file. Replace it by a backup, or move it away to start with a new log; --data chooses another directory.",
  newer_schema: "Install the newer version of Spoor that wrote this log.",
  no_access:
    "Choose a directory that you may read and write, with --data or SPOOR_HOME, or change the owner of this one.",
  unsafe: "Make the directory private (`chmod 700`), or choose another one with --data or SPOOR_HOME.",
  linked:
    "Remove the link, or move the file it points to in its place; --data or SPOOR_HOME chooses another directory.",
  not_a_log: "Choose another data directory with --data or SPOOR_HOME.",
  unsupported_store: "Choose a data directory with --data or SPOOR_HOME; the log is a SQLite file in it.",
  busy: "End the process that has locked the log, or wait longer: `spoor run` takes --lock-wait.",
  closed: "Open the log again.",
} as const;

/** Why the log refused or failed, for programs. */
export type LogErrorCode = keyof typeof hints;
