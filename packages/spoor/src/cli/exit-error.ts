/** Ends a command with this exit code. The message, if there is one, is printed to standard error. */
export class ExitError extends Error {
  override readonly name = "ExitError";
  readonly exitCode: number;

  constructor(exitCode: number, message = "") {
    super(message);
    this.exitCode = exitCode;
  }
}
