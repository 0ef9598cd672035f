import type { ToolFact } from "./tool-facts.ts";

/**
 * What a recording tells, read twice: from the agent's own frames by a plain reader of the wire, and from our events.
 * The two share no code with the adapter. A field the wire does not tell is absent, and is then not compared.
 */
export interface Facts {
  /** All that the agent itself said, its subagents left out, message joined to message. */
  said?: string;
  /** The last message of all. */
  finalText?: string;
  tools?: ToolFact[];
  files?: FileFact[];
  /** The files but for those that were read, where the wire tells only what was changed. */
  changes?: FileFact[];
  /** What was asked, in order, and how it was answered; no answer where none was given. */
  approvals?: { tool?: string; granted?: boolean }[];
  questions?: string[];
  /** How many subagents were spawned. */
  subagents?: number;
  /** How prompts ended, `completed` or the kind of failure; an ending that repeats counts once: agents and we count otherwise. */
  endings?: Ending[];
  /** Of all model calls; input counts what came from a cache. */
  tokens?: { input: number; output: number };
  costUsd?: number;
}

export type Ending = "completed" | "interrupted" | "turn_limit" | "auth" | "rate_limit" | "context" | "crash" | "error";

export interface FileFact {
  op: "read" | "write" | "create" | "delete" | "patch";
  path: string;
  /** The changed lines of a patch, each with its sign. */
  lines?: string[];
}

/** The lines of a unified diff that are added or removed. */
export function changedLines(diff: string): string[] {
  return diff.split("\n").filter((line) => /^[+-]/.test(line) && !/^(\+\+\+|---) /.test(line));
}

export const distinct = (endings: readonly Ending[]): Ending[] =>
  endings.filter((ending, index) => ending !== endings[index - 1]);
