import type { RunningServer } from "./claim.ts";

/** Why a data directory cannot be served, for programs. */
export type ServeErrorCode = "already_running" | "claim_unclear" | "no_login_link" | "port_taken";

/**
 * Why a data directory cannot be served.
 *
 * @example
 * await serve({ directory: "./runs" }).catch((error) => {
 *   if (error instanceof ServeError && error.running) console.log(`It runs already: ${error.running.url}`);
 * });
 */
export class ServeError extends Error {
  override readonly name = "ServeError";
  readonly code: ServeErrorCode;
  /** With code `already_running`: the server that runs on the data directory. */
  readonly running: RunningServer | undefined;

  constructor(code: ServeErrorCode, message: string, options?: ErrorOptions & { running?: RunningServer }) {
    super(message, options);
    this.code = code;
    this.running = options?.running;
  }
}
