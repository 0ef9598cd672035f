/**
 * The log refused a write, so nothing more of the run is recorded. The stored events are complete up to
 * that point.
 *
 * @example
 * createClient({
 *   record: { to: "./runs", ifUnrecorded: "continue", onFailure: ({ code, message }) => console.error(code, message) },
 * });
 */
export class RecordingError extends Error {
  override readonly name = "RecordingError";
  /** The log's own code, such as `disk_full`. */
  readonly code: string;
  readonly hint: string;

  constructor(cause: Error & { code?: unknown; hint?: unknown }) {
    super(`The run is no longer recorded: ${cause.message}`, { cause });
    this.code = typeof cause.code === "string" ? cause.code : "write_failed";
    this.hint = typeof cause.hint === "string" ? cause.hint : "";
  }
}
