import type { ToolKind } from "@spoor/protocol";
import type { Failure } from "../../../failure.ts";
import type { ToolEnd } from "../../../signal.ts";

/** In what agents differ that speak Claude Code's stream-json. */
export interface Profile {
  /** What is not listed is `other`; names of MCP tools say so themselves. */
  readonly tools: Readonly<Partial<Record<ToolKind, readonly string[]>>>;
  readonly questionTools: readonly string[];
  readonly skillTools: readonly string[];
  /**
   * Whether all lines of one model call have the same message id. Else every kind of block has its own, a call begins
   * with the first output after some input, and what it used is told on its assistant lines.
   */
  readonly oneMessagePerCall: boolean;
  /** Whether a call's input tokens have those read from a cache in them already. */
  readonly inputIncludesCache: boolean;
  readonly shell: {
    /** How the report of a command reads, with groups `output` and `exitCode`; without a pattern it is bare output. */
    readonly done?: RegExp;
    readonly failed?: RegExp;
    /** The report is JSON, with fields of these names. */
    readonly asJson?: true;
    /** What stands for no output. */
    readonly silent: string;
    /** What the input calls the command. */
    readonly command?: string;
  };
  /** What a written file's result says when there was none before. */
  readonly created: RegExp;
  /** How a call failed, by the text of its result. */
  readonly outcomes: readonly (readonly [RegExp, NonNullable<ToolEnd["outcome"]>])[];
  /** How text begins that is an error in disguise. */
  readonly spokenError?: string;
  /** Endings that only the exit code tells. */
  readonly exits?: Readonly<Record<number, Failure>>;
  /** What to do when the agent is not let in. */
  readonly guidance: string;
}
