import type { FailureCode } from "@spoor/protocol";
import { isRetriable } from "@spoor/protocol/lines";

/**
 * Thrown for misuse, and when a run cannot start. A failure during a run is an event with the same code instead.
 *
 * @example
 * try {
 *   createClient().run({ agent: "claude", prompt: "hello" });
 * } catch (error) {
 *   if (error instanceof SpoorError && error.code === "AGENT_NOT_INSTALLED") console.error(error.message);
 * }
 */
export class SpoorError extends Error {
  override readonly name: string = "SpoorError";
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** Whether the same call may succeed later without any change. */
  get recoverable(): boolean {
    return isRetriable(this.code);
  }
}

/** A problem with one of the given options. */
export interface Problem {
  /** The path of the option, such as `retryPolicy.maxAttempts` or `mcpServers[0].name`. */
  field: string;
  /** All options that the message names, when it is about several. */
  fields?: readonly string[];
  /** A sentence that says what is expected. */
  message: string;
}

/**
 * Thrown for invalid options. It lists all problems at once.
 *
 * @example
 * try {
 *   createClient({ timeout: -1 });
 * } catch (error) {
 *   if (error instanceof ValidationError) for (const { field, message } of error.problems) console.error(field, message);
 * }
 */
export class ValidationError extends SpoorError {
  override readonly name = "ValidationError";
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super("VALIDATION_ERROR", problems.map(({ message }) => message).join("\n"));
    this.problems = problems;
  }
}

/**
 * Thrown when the agent does not support an option in the dialect it would run with.
 *
 * @example
 * try {
 *   createClient().run({ agent: "amp", prompt: "hello", thinkingEffort: "high" });
 * } catch (error) {
 *   if (error instanceof CapabilityError) console.error(error.agent, error.capability);
 * }
 */
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
