import type { Fact, TerminalType } from "../agents/signal.ts";
import type { Estimate } from "../assemble/prices.ts";
import { readEnvelopes } from "../log/envelopes.ts";
import type { BudgetMeter } from "../run/budget-meter.ts";
import type { Execution } from "../runtime/queue/executor.ts";
import type { LoopControl } from "./control.ts";
import type { Conversation } from "./conversation.ts";
import type { CallGate } from "./gate.ts";
import { readState, type StatePart } from "./provider-state.ts";
import type { LoopModel, ModelFailure } from "./providers/provider.ts";
import type { LoopRecord } from "./record.ts";
import type { LoopTool } from "./tools/tool.ts";

/** A run that the loop performs, with everything that its turns need. */
export interface LoopRun {
  readonly execution: Execution;
  readonly environment: NodeJS.ProcessEnv;
  /** The real path of the workspace. */
  readonly root: string;
  readonly record: LoopRecord;
  readonly conversation: Conversation;
  readonly control: LoopControl;
  readonly model: LoopModel;
  readonly tools: ReadonlyMap<string, LoopTool>;
  readonly gate: CallGate;
  /** What the model is told before everything else. */
  readonly system: string;
  readonly estimate: Estimate | undefined;
  readonly budget: BudgetMeter | undefined;
  /** Aborts when the run is stopped, when this process stops, and when the lease is lost. */
  readonly signal: AbortSignal;
  /** Whether the budget is spent, also by subagents. */
  isSpent(): boolean;
  /** Carries out the commands that are stored by now. */
  takeCommands(): Promise<void>;
  failureOf(error: unknown): ModelFailure;
  /** Reads what the provider needs back with a turn, by its hash. */
  readState(sha256: string): Promise<StatePart[]>;
  backoffMs(attempt: number): number;
  /** How many model calls in a row have failed. */
  failures: number;
}

/** How a turn ended: the run goes on, waits for a person, or ends. */
export type TurnEnd = { next: "go" | "parked" } | { next: "end"; failure: Fact<TerminalType> };

/** This process must stop with the run, and leave it to another: nothing more may be written or done. */
export class LeftError extends Error {}

/** Throws if this process may no longer perform the run. */
export function mustStillPerform({ execution }: LoopRun): void {
  if (execution.signal.aborted || !execution.mayAct()) throw new LeftError("The run is left to another process.");
}

/** Reads what was stored since the last time into the conversation. */
export async function readOn({ execution, record, conversation }: LoopRun): Promise<void> {
  await record.flush();
  const { log, claim } = execution;
  const { run_id } = claim.run;
  for await (const envelope of readEnvelopes(log, { run_id, after: conversation.sequence })) conversation.add(envelope);
}

/** Reads the states that the provider needs back. A state that was read once is kept. */
export function createStateReader({ log, directory }: Execution): (sha256: string) => Promise<StatePart[]> {
  const known = new Map<string, Promise<StatePart[]>>();
  return (sha256) => {
    const reading = known.get(sha256) ?? readState(log, directory, sha256);
    known.set(sha256, reading);
    return reading;
  };
}
