import type { AgentEventCategory } from "@spoor/protocol";

/** How many of a category's events a dialect produces, in the words of the AgentEvent specification. */
export type SupportLevel = "Full" | "Partial" | "Minimal" | "No";

/** How we know which events a dialect produces. */
export interface DialectProof {
  /** A run of the real program, recordings of such runs, or the agent's documentation. */
  by: "run" | "recordings" | "documents";
  /** The version of the program. */
  version?: string;
  /** The date of the run. */
  date?: string;
  /** How many recordings the tests read. */
  recordings: number;
  categories: Readonly<Record<AgentEventCategory, SupportLevel>>;
}
