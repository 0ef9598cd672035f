import type { ToolKind } from "@spoor/protocol";
import type { Failure } from "../../../kit/failures.ts";
import type { Json } from "../../../kit/json-values.ts";
import type { ToolOutcome } from "../../../kit/tool-calls.ts";

/** The differences between agents that speak Claude Code's stream-json. */
export interface ClaudeProfile {
  /** Tool names by kind. A tool that is not listed is `other`; MCP tools are recognised by their names. */
  readonly tools: Readonly<Partial<Record<ToolKind, readonly string[]>>>;
  readonly questionTools: readonly string[];
  /**
   * Whether all lines of one model call have the same message id. If not, every kind of block has its own id, a call
   * begins with the first output after some input, and its assistant lines carry its usage.
   */
  readonly oneMessagePerCall: boolean;
  /** Whether the input tokens of a call include those read from a cache. */
  readonly inputIncludesCache: boolean;
  /** The input field that holds the command. Default: `command`. */
  readonly commandField?: string;
  /**
   * Reads a command's `output` and `exitCode` from the text of its result; returns undefined if the text is output
   * only.
   */
  readonly parseCommandResult: (text: string, failed: boolean) => Json | undefined;
  /** The text that stands for empty output. */
  readonly emptyOutput: string;
  /** How a call failed, by the text of its result. */
  readonly outcomes: readonly (readonly [RegExp, ToolOutcome])[];
  /**
   * Errors that the agent reports as messages of the model: how they begin, and a pattern for a message that is such an
   * error. A message for which the model used output tokens is the model's own.
   */
  readonly messageError?: { readonly start: string; readonly whole: RegExp };
  /** Failures that only the exit code reports. */
  readonly exitFailures?: Readonly<Record<number, Failure>>;
  /** Tells the user how to log in. */
  readonly guidance: string;
}
