import type { AgentEventCategory } from "@spoor/protocol";

/** How much of a category's events was seen on a wire; the words are those of the AgentEvent specification. */
export type SupportLevel = "Full" | "Partial" | "Minimal" | "No";

/** How we know what a wire tells. */
export interface WireProof {
  /** A real run of the real program, recordings of such, or what its makers document. */
  by: "run" | "recordings" | "documents";
  /** Of the program. */
  version?: string;
  /** Of the run. */
  date?: string;
  /** How many recordings are read by the tests. */
  recordings: number;
  categories: Readonly<Record<AgentEventCategory, SupportLevel>>;
}
