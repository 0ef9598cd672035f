import type { ExitReason } from "@spoor/protocol";
import { SpoorError } from "../failures/errors.ts";

/**
 * The state of a run: `spawned` until the first event, `running`, `paused` between pause and unpause, and `interrupted`
 * from the request to stop until the agent has stopped. The others are final: the process is gone, and the last event was
 * delivered.
 */
export type RunState = keyof typeof transitions;

/** The states that may follow each state. A run that is retried is `spawned` again. */
export const transitions = {
  spawned: ["running", "paused", "interrupted", "completed", "aborted", "timed-out", "crashed", "killed"],
  running: ["spawned", "paused", "interrupted", "completed", "aborted", "timed-out", "crashed", "killed"],
  paused: ["spawned", "running", "interrupted", "completed", "aborted", "timed-out", "crashed", "killed"],
  interrupted: ["running", "completed", "aborted", "timed-out", "crashed", "killed"],
  completed: [],
  aborted: [],
  "timed-out": [],
  crashed: [],
  killed: [],
} as const satisfies Record<string, readonly string[]>;

export const isEnd = (state: RunState): boolean => transitions[state].length === 0;

/** Returns the new state. Throws if it may not follow the old one. */
export function transition(from: RunState, to: RunState): RunState {
  const next: readonly RunState[] = transitions[from];
  if (next.includes(to)) return to;
  if (isEnd(from)) throw new SpoorError("RUN_NOT_ACTIVE", "The run has ended.");
  throw new SpoorError("INVALID_STATE_TRANSITION", `The run is ${from} and cannot become ${to}.`);
}

/** The final state for each exit reason. A run that was interrupted, or used up its turns, is completed. */
export const endState: Record<ExitReason, RunState> = {
  completed: "completed",
  interrupted: "completed",
  turn_limit: "completed",
  aborted: "aborted",
  timeout: "timed-out",
  inactivity: "timed-out",
  crashed: "crashed",
  failed: "crashed",
  killed: "killed",
  incomplete: "crashed",
};
