/** Why the log did not do what it was asked; what to do about it is in `hint`. */
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
  bad_event: "A type is dotted and lowercase: letters, digits and _, at least two parts.",
  reserved_type: "Choose a type whose first part is your own name, or external.event.",
  run_exists: "Choose another run id.",
  run_not_found: "List the runs with `spoor ls`.",
  disk_full: "Make room; `spoor prune` makes more, and needs a little itself. What was committed is safe.",
  write_failed: "The disk refused a write; what was committed is safe. Check the disk, then open the log again.",
  removed: "What was written since then is lost. Start again: a new log is made there.",
  damaged: "Run `spoor verify` to see what is damaged; what is whole can be exported with `spoor export`.",
  unreadable:
    "No command can read it as it is. Put a copy in its place, or move it away and a new log is made; --data chooses another directory.",
  newer_schema: "Install the newer Spoor that wrote this log.",
  no_access: "Choose a directory you may read and write, with --data or SPOOR_HOME, or change whose it is.",
  unsafe: "Make the directory yours alone (`chmod 700`), or choose another one with --data or SPOOR_HOME.",
  linked: "Remove the link, or move what it leads to into its place; --data or SPOOR_HOME chooses another directory.",
  not_a_log: "Choose another data directory with --data or SPOOR_HOME.",
  busy: "End the process that holds it, or wait longer: `spoor run` takes --lock-wait.",
  closed: "Open the log again.",
} as const;

export type LogErrorCode = keyof typeof hints;
