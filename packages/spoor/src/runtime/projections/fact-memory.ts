import type { RunFacts } from "../../log/records.ts";
import type { ChangedFiles } from "./changed-files.ts";
import type { NowMemory } from "./run-now.ts";

/** The payload of an event. */
export type Data = Readonly<Record<string, unknown>>;

/** What the fold of a run's facts remembers beside the facts. */
export interface Memory extends NowMemory {
  facts: RunFacts;
  kind: string | undefined;
  readonly approvals: Set<string>;
  readonly questions: Set<string>;
  /** Open requests that the row counts and that were not seen to be asked. */
  unseen: number;
  readonly files: ChangedFiles;
  /** Inputs of this turn's calls that write files. */
  readonly writes: Map<string, unknown>;
  hasStarted: boolean;
  /** Whether a model call of this turn failed and is retried. */
  isRetried: boolean;
  /** Calls of this turn. */
  calls: number;
}

export const openRequests = ({ approvals, questions, unseen }: Memory): number =>
  approvals.size + questions.size + unseen;

/** Whether the run's terminal event was folded. */
export const hasEnded = ({ status }: RunFacts): boolean =>
  status === "completed" || status === "failed" || status === "cancelled";

/** A loop of ours stops between two steps and holds no process while it is paused. Other processes are stopped. */
export const pausesWithoutWorker = (kind: string | undefined): boolean => kind === "agent_loop";
