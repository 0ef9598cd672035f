/**
 * The states of a pane.
 *
 * - `Idle`: the run exists and has not begun, or lost its process and waits in the queue.
 * - `Working`: it has begun. The end of a turn does not leave it, because tools may run or another turn may follow. Neither
 *   does the queue in which a run goes on after an answer.
 * - `Blocked`: it waits for a person. Left when nobody is waited for.
 * - `Error`: it failed. Left only by another turn.
 * - `Done`: it is over and did not fail. Never left.
 */
export type PaneState = "Idle" | "Working" | "Blocked" | "Done" | "Error";

/** A pane as a line: the state of one run. */
export interface PaneLine {
  readonly type: "pane";
  /** The run. */
  readonly pane: string;
  readonly agent: string;
  readonly state: PaneState;
  /** Whether nothing has happened for a long time although the run is not over. */
  readonly stalled: boolean;
  /** Whether a person should look: it failed, waits for somebody, or is stalled. */
  readonly needs_attention: boolean;
  /** Turns that have begun. */
  readonly turn: number;
  /** The names of the tools that run. */
  readonly tools: readonly string[];
  /** How many approvals and questions wait. */
  readonly waiting: number;
  readonly error?: string;
  /** The time of the last event. */
  readonly time: string;
}

/** What is known of a run. */
export interface Pane {
  agent: string;
  time: string;
  turn: number;
  /** Calls that have started and not ended, with the names of their tools. */
  readonly calls: Map<string, string>;
  readonly ended: Set<string>;
  /** The approvals and questions that wait, `run` while the run as a whole waits, and `pause` while it is paused. */
  readonly waiting: Set<string>;
  /** Texts that have begun, with how much of them was told. */
  readonly texts: Map<string, number>;
  error: string | undefined;
  /** Whether the turn has called a tool. */
  hasCalled: boolean;
  /** Whether the model call of the turn failed. */
  hasFailed: boolean;
  hasBegun: boolean;
  /** Whether an approval was decided and nothing has happened since. A run that is queued then goes on. */
  isAnswered: boolean;
  isOver: boolean;
  stalled: boolean;
}

export const createPane = (): Pane => ({
  ...{ agent: "unknown", time: "", turn: 0, calls: new Map(), ended: new Set(), waiting: new Set() },
  ...{ texts: new Map(), error: undefined, hasCalled: false, hasFailed: false, hasBegun: false, isAnswered: false },
  ...{ isOver: false, stalled: false },
});

/** The only place that decides about the state. */
export function stateOf({ error, isOver, waiting, hasBegun }: Pane): PaneState {
  if (error !== undefined) return "Error";
  if (isOver) return "Done";
  if (waiting.size > 0) return "Blocked";
  return hasBegun ? "Working" : "Idle";
}

/** How many approvals and questions wait. */
export const countOf = (waiting: ReadonlySet<string>): number =>
  waiting.size - Number(waiting.has("run")) - Number(waiting.has("pause"));

export function lineOf(run_id: string, pane: Pane): PaneLine {
  const { agent, stalled, turn, calls, waiting, error, time } = pane;
  const state = stateOf(pane);
  return {
    type: "pane",
    pane: run_id,
    agent,
    state,
    stalled,
    needs_attention: state === "Error" || state === "Blocked" || stalled,
    turn,
    tools: [...calls.values()],
    waiting: countOf(waiting),
    ...(error !== undefined && { error }),
    time,
  };
}
