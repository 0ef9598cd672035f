/** What is going on in a run when a process is killed. */
export type Phase =
  | "queued"
  | "claimed"
  | "model"
  | "tool"
  | "result"
  | "approval"
  | "answered"
  | "paused"
  | "cancelling"
  | "finishing"
  | "applying";

/** Who performs the run, and which of the processes is killed. */
export type Shape =
  | "agent in a terminal"
  | "agent in a terminal, with a server"
  | "agent of a task"
  | "detached agent"
  | "shell task"
  | "shell task of spoor work"
  | "loop"
  | "patches";

export interface Cell {
  shape: Shape;
  victim: "server" | "executor";
  phase: Phase;
  /** How the run may end. */
  ends: readonly End[];
}

export type End = "completed" | "failed" | "cancelled";

const agentPhases = ["model", "tool", "result", "approval", "answered", "paused", "cancelling", "finishing"] as const;

/** Nothing is lost with the server: the executor goes on, or the run is still in the queue. */
const serverEnds = (phase: Phase): readonly End[] => (phase === "cancelling" ? ["cancelled"] : ["completed"]);

/** What an agent has begun cannot be repeated. A run that ended in the last moment keeps its end. */
function executorEnds(phase: Phase): readonly End[] {
  if (phase === "finishing") return ["completed", "failed"];
  if (phase === "cancelling") return ["cancelled", "failed"];
  return ["failed"];
}

function cellsOf(
  shape: Shape,
  victim: Cell["victim"],
  phases: readonly Phase[],
  endsOf: (phase: Phase) => readonly End[],
): Cell[] {
  return phases.map((phase) => ({ shape, victim, phase, ends: endsOf(phase) }));
}

/** A run of a task that has not begun anything is queued again. */
const requeued =
  (endsOf: (phase: Phase) => readonly End[]) =>
  (phase: Phase): readonly End[] =>
    phase === "queued" ? ["completed"] : phase === "claimed" ? ["completed", "failed"] : endsOf(phase);

/** Our own loop goes on where it was. */
const loopEnds = (phase: Phase): readonly End[] => (phase === "cancelling" ? ["cancelled"] : ["completed"]);

const commandPhases = ["queued", "claimed", "tool", "paused", "cancelling", "finishing"] as const;

/** Every kind of execution, each process of it, each phase. */
export const matrix: readonly Cell[] = [
  ...cellsOf("agent in a terminal", "executor", ["claimed", ...agentPhases], executorEnds),
  ...cellsOf("agent in a terminal, with a server", "server", agentPhases, serverEnds),
  ...cellsOf("agent in a terminal, with a server", "executor", ["claimed", ...agentPhases], executorEnds),
  ...cellsOf("agent of a task", "server", ["queued", "claimed", ...agentPhases], serverEnds),
  ...cellsOf("agent of a task", "executor", ["claimed", ...agentPhases], requeued(executorEnds)),
  ...cellsOf("detached agent", "executor", ["claimed", ...agentPhases], requeued(executorEnds)),
  ...cellsOf("shell task", "server", commandPhases, requeued(executorEnds)),
  ...cellsOf("shell task of spoor work", "executor", commandPhases, requeued(executorEnds)),
  ...cellsOf("loop", "executor", ["queued", "claimed", ...agentPhases], loopEnds),
  ...cellsOf("patches", "executor", ["applying"], () => ["completed"]),
  ...cellsOf("patches", "server", ["applying"], () => ["completed"]),
];
