import type { Value } from "./frames.ts";
import type { ToolFact } from "./tool-facts.ts";

/**
 * The facts of a recording, read twice: from the agent's own frames by a plain reader, and from our events. Neither
 * shares code with the adapter. A fact that the wire does not contain is absent and is not compared.
 */
export interface Facts {
  /** The version of the agent, as it reports it before its first session. */
  version?: string;
  /** All text of the agent itself, without its subagents, joined together. */
  said?: string;
  /** The last message. */
  finalText?: string;
  tools?: ToolFact[];
  files?: FileFact[];
  /** The files without those that were only read, if the wire reports only changes. */
  changes?: FileFact[];
  /** The questions in order, with their answers; no answer if none was given. */
  approvals?: { tool?: string; granted?: boolean }[];
  questions?: string[];
  /** The number of subagents that were spawned. */
  subagents?: number;
  /**
   * How prompts ended: `completed` or the kind of failure. A repeated ending counts once, because agents and Spoor
   * count differently.
   */
  endings?: Ending[];
  /** Of all model calls; the input includes cached tokens. */
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

/** The first of the values that is a version. */
export function versionOf(values: readonly Value[]): Pick<Facts, "version"> {
  const version = values.find(({ text }) => text)?.text;
  return version === undefined ? {} : { version };
}
