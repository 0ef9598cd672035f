import type { ErrorCode } from "@spoor/protocol";
import { isRetriable } from "@spoor/protocol/write";

/** Misuse, or something that kept a run from starting. What goes wrong in a run is an event with the same code. */
export class SpoorError extends Error {
  override readonly name: string = "SpoorError";
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** Whether the same call may succeed later, with nothing changed. */
  get recoverable(): boolean {
    return isRetriable(this.code);
  }
}

/** What is wrong with one field of what was given. */
export interface Problem {
  /** The way to it: `retryPolicy.maxAttempts`, `mcpServers[0].name`. */
  field: string;
  /** All fields the message names, where it is about several. */
  fields?: readonly string[];
  /** A sentence that says what to do about it. */
  message: string;
}

/** Everything that is wrong with what was given, at once. */
export class ValidationError extends SpoorError {
  override readonly name = "ValidationError";
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super("VALIDATION_ERROR", problems.map(({ message }) => message).join("\n"));
    this.problems = problems;
  }
}

/** The agent, on the wire it would run on, cannot do what is asked. */
export class CapabilityError extends SpoorError {
  override readonly name = "CapabilityError";
  readonly agent: string;
  readonly capability: string;

  constructor(agent: string, capability: string, message: string) {
    super("CAPABILITY_ERROR", message);
    this.agent = agent;
    this.capability = capability;
  }
}
