/** Ends a command with this exit code; a message, if any, goes to stderr as it is. */
export class ExitError extends Error {
  override readonly name = "ExitError";
  readonly exitCode: number;

  constructor(exitCode: number, message = "") {
    super(message);
    this.exitCode = exitCode;
  }
}
