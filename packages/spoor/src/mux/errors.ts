import type { ErrorCode } from "@spoor/protocol";

/** Misuse, or something that kept a run from starting. What goes wrong in a run is an event with the same code. */
export class SpoorError extends Error {
  override readonly name = "SpoorError";
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
