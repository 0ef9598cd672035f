import type { ToolKind } from "@spoor/protocol";
import type { ToolEnd } from "../../signal.ts";
import type { Failure } from "./failures.ts";

/** In what agents differ that speak Claude Code's stream-json. */
export interface Profile {
  /** What is not listed is `other`; names of MCP tools say so themselves. */
  readonly tools: Readonly<Record<string, ToolKind>>;
  readonly questionTools: readonly string[];
  readonly skillTools: readonly string[];
  /**
   * Whether all lines of one model call have the same message id. Else every kind of block has its own, a call begins
   * with the first output after some input, and what it used is told on its assistant lines.
   */
  readonly oneMessagePerCall: boolean;
  /** Whether a call's input tokens have those read from a cache in them already. */
  readonly inputIncludesCache: boolean;
  /**
   * How a command's report reads, with groups `output` and `exit`; a success without a pattern is bare output. `asJson`
   * is for a report of `output` and `exitCode`.
   */
  readonly shell: {
    readonly success?: RegExp;
    readonly failure: RegExp;
    readonly nothing: string;
    readonly asJson?: true;
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
