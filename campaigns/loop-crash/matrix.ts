import type { End } from "../crash/matrix.ts";

/** Where the model stands in a run: before its answer to a request, or in the middle of it. */
export interface Hold {
  /** What the model would propose next: `first`, `second`, the end, a summary, or the work of a subagent. */
  point: "first" | "second" | "end" | "summary" | "inner";
  where: "before" | "middle";
}

/** What is going on in a run of the loop when its process is killed, and what brings the run there. */
interface PhaseRow {
  hold?: Hold;
  /** The step whose tool waits after it has left its line. */
  gate?: StepName;
  /** An event that is waited for. */
  event?: string;
  /** Whether a person is asked about every call. */
  asks?: boolean;
  steps?: keyof typeof plans;
  /** Default: the run completes. */
  end?: End;
}

/** What the model proposes, turn by turn. Each step is a call that leaves one line in the workspace. */
export const plans = {
  commands: [["first"], ["second", "last"]],
  long: [["long"], ["second", "last"]],
  subagent: [["first"], ["child"], ["last"]],
  mcp: [["first"], ["noted"], ["last"]],
} as const satisfies Record<string, readonly (readonly StepName[])[]>;

export type StepName = "first" | "second" | "last" | "long" | "child" | "inner" | "noted";

export const phases = {
  queued: {},
  claimed: { event: "run.started" },
  "model call": { hold: { point: "first", where: "before" } },
  "model answer": { hold: { point: "first", where: "middle" } },
  "later model call": { hold: { point: "second", where: "before" } },
  checkpoint: { event: "run.checkpoint_saved" },
  gate: {},
  intent: { event: "tool.started" },
  tool: { gate: "first" },
  "second call of a turn": { gate: "last" },
  result: { event: "tool.completed" },
  approval: { asks: true },
  answered: { asks: true },
  "taken up": { asks: true },
  paused: { gate: "first" },
  cancelling: { gate: "first", end: "cancelled" },
  compacting: { hold: { point: "summary", where: "before" }, steps: "long" },
  "retry waits": {},
  "subagent's model call": { hold: { point: "inner", where: "before" }, steps: "subagent" },
  "subagent's tool": { gate: "inner", steps: "subagent" },
  "subagent's approval": { asks: true, steps: "subagent" },
  "subagent answered": { asks: true, steps: "subagent" },
  "MCP call": { gate: "noted", steps: "mcp" },
  finishing: { hold: { point: "end", where: "before" } },
  anywhere: {},
  twice: { gate: "first" },
  "three times": { hold: { point: "first", where: "before" }, end: "failed" },
} satisfies Record<string, PhaseRow>;

export type Phase = keyof typeof phases;

export const rowOf = (phase: Phase): PhaseRow => phases[phase];

/** The process that performs the run and is killed. */
export type Executor = "server" | "spoor work" | "terminal";

export interface LoopCell {
  phase: Phase;
  executor: Executor;
  /** The language in which the model is asked. Anthropic's takes thoughts back with the next request. */
  wire: "anthropic" | "chat";
}

/** A run of a terminal is not queued before it is claimed. */
const executorsOf = (phase: Phase): readonly Executor[] =>
  phase === "queued" ? ["server", "spoor work"] : ["server", "spoor work", "terminal"];

/** Only of a server in the user's configuration can a test say how much fits into a request. */
const wiresOf = (phase: Phase): readonly LoopCell["wire"][] =>
  phase === "compacting" ? ["chat", "chat"] : ["anthropic", "chat"];

/** Each phase, with each process that can perform the run, in both languages. */
export const matrix: readonly LoopCell[] = (Object.keys(phases) as Phase[]).flatMap((phase) =>
  executorsOf(phase).flatMap((executor) => wiresOf(phase).map((wire) => ({ phase, executor, wire }))),
);
