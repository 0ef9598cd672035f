import type { Fact, TerminalType } from "../agents/signal.ts";
import { createStateReader, type LoopRun, mustStillPerform, readOn } from "./loop-run.ts";
import { continueTurn, performTurn, type TurnEnd } from "./turn.ts";

/** Turns of a run unless the task says otherwise. */
const MAX_TURNS = 200;

/**
 * Performs a run turn by turn, until the model has answered, a person must decide, somebody pauses or stops the run, or a
 * limit is reached. `parked` and `paused` give the run back: it is queued again later, and goes on here.
 */
export async function performRun(run: LoopRun): Promise<"over" | "parked" | "paused"> {
  for (;;) {
    mustStillPerform(run);
    const stopped = stopOf(run);
    if (stopped) return end(run, stopped);
    const step = await nextStep(run);
    if (step === "paused" || step === "answered") return step === "paused" ? pause(run) : end(run);
    if (step.next === "parked") return "parked";
    if (step.next === "end") return end(run, step.failure);
  }
}

/** What the run does next. Commands that wait for the end of a turn are carried out here. */
async function nextStep(run: LoopRun): Promise<TurnEnd | "paused" | "answered"> {
  const { conversation, control, execution } = run;
  if (conversation.openTurn) return continueTurn(run);
  if (control.isPauseWanted) return "paused";
  for (const prompt of control.takePrompts()) prompt.write();
  await readOn(run);
  if (conversation.isAnswered) return "answered";
  const { max_turns: maxTurns = MAX_TURNS } = execution.spec as { max_turns?: number };
  if (conversation.turns >= maxTurns) return { next: "end", failure: { type: "turn_limit", maxTurns } };
  void createStateReader;
  return performTurn(run);
}

function stopOf({ control }: LoopRun): Fact<TerminalType> | undefined {
  const { stopReason } = control;
  if (stopReason === undefined) return undefined;
  return stopReason === "timeout" ? { type: "timeout", kind: "run" } : { type: stopReason };
}

async function pause({ record }: LoopRun): Promise<"paused"> {
  record.tell([{ kind: "pause", paused: true }]);
  await record.flush();
  return "paused";
}

async function end({ record, control }: LoopRun, failure?: Fact<TerminalType>): Promise<"over"> {
  if (failure) record.tell([{ kind: "fail", event: failure }]);
  record.end();
  control.isEnded = true;
  await record.flush();
  return "over";
}
