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

  constructor(code: LogErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.hint = hints[code];
  }
}

const hints = {
  fenced: "Another process took over as the producer of this run; stop writing to it.",
  bad_event: "A type has at least two parts with a dot between them, of lowercase letters, digits and _.",
  reserved_type: "Choose a type whose first part is your own name, or external.event.",
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
