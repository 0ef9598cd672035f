import type { ToolKind } from "@spoor/protocol";
import type { Failure } from "../../../kit/failures.ts";
import type { Json } from "../../../kit/json-values.ts";
import type { ToolOutcome } from "../../../kit/tool-calls.ts";

/** In what agents differ that speak Claude Code's stream-json. */
export interface ClaudeProfile {
  /** What is not listed is `other`; names of MCP tools say so themselves. */
  readonly tools: Readonly<Partial<Record<ToolKind, readonly string[]>>>;
  readonly questionTools: readonly string[];
  /**
   * Whether all lines of one model call have the same message id. Else every kind of block has its own, a call begins
   * with the first output after some input, and what it used is told on its assistant lines.
   */
  readonly oneMessagePerCall: boolean;
  /** Whether a call's input tokens have those read from a cache in them already. */
  readonly inputIncludesCache: boolean;
  /** What the input of a call calls its command; `command` when absent. */
  readonly commandField?: string;
  /** A command's `output` and `exitCode`, from the text of its result; where there are none, that is bare output. */
  readonly report: (text: string, failed: boolean) => Json | undefined;
  /** What stands for no output. */
  readonly silent: string;
  /** How a call failed, by the text of its result. */
  readonly outcomes: readonly (readonly [RegExp, ToolOutcome])[];
  /**
   * Errors that the agent tells as if the model spoke: how they begin, and how a message looks that is nothing else. One
   * that the model was paid for is the model's.
   */
  readonly spokenError?: { readonly start: string; readonly whole: RegExp };
  /** Endings that only the exit code tells. */
  readonly exits?: Readonly<Record<number, Failure>>;
  /** What to do when the agent is not let in. */
  readonly guidance: string;
}
