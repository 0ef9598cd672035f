import type { ExitReason } from "@spoor/protocol";
import { SpoorError } from "../failures/errors.ts";

/**
 * How a run stands: `spawned` until the agent is heard, `running`, `paused` between pause and unpause, `interrupted`
 * from the request to stop until the agent has stopped. The others are ends: the process is gone and the last event is
 * told.
 */
export type RunState = keyof typeof transitions;

/** Which states may follow each. A run that is tried again is `spawned` again. */
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

/** The one way from state to state. */
export function moved(from: RunState, to: RunState): RunState {
  const next: readonly RunState[] = transitions[from];
  if (next.includes(to)) return to;
  if (isEnd(from)) throw new SpoorError("RUN_NOT_ACTIVE", "The run has ended.");
  throw new SpoorError("INVALID_STATE_TRANSITION", `The run is ${from} and cannot become ${to}.`);
}

/** The state a run ends in. An agent that stopped as it was asked to is done, and so is one out of turns. */
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
