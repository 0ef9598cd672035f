import type { Fact } from "../agents/signal.ts";
import { tokensOf } from "./context.ts";
import { dispatch, openCalls } from "./dispatch.ts";
import { type LoopRun, mustStillPerform, readOn, type TurnEnd } from "./loop-run.ts";
import { callModel, tellUsage } from "./model-call.ts";
import { storeState } from "./provider-state.ts";
import type { ModelRequest } from "./providers/request.ts";
import type { ModelOutput } from "./signals.ts";
import { tellFailure } from "./upstream.ts";

/**
 * One turn: the model is called, and its calls are run. What the model said is a checkpoint before the first call is judged,
 * and so is the end of the turn.
 */
export async function performTurn(run: LoopRun, request: ModelRequest): Promise<TurnEnd> {
  const { record, conversation, model } = run;
  const turn = conversation.turns + 1;
  mustStillPerform(run);
  record.tell([{ kind: "call", model: model.id, provider: model.provider }], {
    fields: { "turn.started": { input_tokens_estimate: tokensOf(request) } },
  });
  await record.flush();
  const output = await tryModel(run, request, turn);
  if ("next" in output) return output;
  run.failures = 0;
  const { isSpent } = tellUsage(run, output);
  if (isSpent) return { next: "end", failure: budgetSpent(run) };
  if (run.control.stopReason !== undefined) return { next: "go" };
  const state = await storeState(run.execution.directory, output.parts);
  if (output.calls.length === 0) {
    if (!output.hasText) return blankAnswer(run, turn);
    return endTurn(run, turn, state);
  }
  record.checkpoint(turn, state);
  await record.flush();
  if ((await dispatch(run, output.calls)) === "parked") return { next: "parked" };
  if (run.isSpent()) return { next: "end", failure: budgetSpent(run) };
  return endTurn(run, turn, state);
}

/** Goes on with a turn whose calls waited for a person. */
export async function continueTurn(run: LoopRun): Promise<TurnEnd> {
  const turn = run.conversation.openTurn;
  if (!turn) return { next: "go" };
  if ((await dispatch(run, openCalls(turn))) === "parked") return { next: "parked" };
  if (run.isSpent()) return { next: "end", failure: budgetSpent(run) };
  return endTurn(run, turn.index, turn.state === undefined ? undefined : { sha256: turn.state, effects: [] });
}

async function tryModel(run: LoopRun, request: ModelRequest, turn: number): Promise<ModelOutput | TurnEnd> {
  try {
    return await callModel(run, request, turn);
  } catch (error) {
    mustStillPerform(run);
    if (run.control.stopReason !== undefined) return { next: "go" };
    return tellFailure(run, error, turn);
  }
}

async function endTurn(run: LoopRun, turn: number, state: Awaited<ReturnType<typeof storeState>>): Promise<TurnEnd> {
  // A run that stops closes its turn itself.
  if (run.control.stopReason !== undefined) return { next: "go" };
  run.record.tell([{ kind: "promptDone" }]);
  run.record.checkpoint(turn, state);
  await readOn(run);
  return { next: "go" };
}

/** An answer without text and without calls is no answer. */
function blankAnswer({ record }: LoopRun, turn_index: number): TurnEnd {
  const message = "The model gave a blank answer: neither text nor a call.";
  const failed = { turn_index, code: "blank_answer", message, will_retry: false };
  record.tell([{ kind: "promptDone" }], {
    beforeTurnEnd: [["turn.failed", failed]],
    fields: { "assistant.final_answer": false },
  });
  return { next: "end", failure: { type: "error", code: "UPSTREAM_ERROR", message, recoverable: false } };
}

/** The cause of the end of a run whose budget is spent. */
export function budgetSpent({ budget }: LoopRun): Fact<"error"> {
  const { spent = 0, budget: { micros = 0 } = {} } = budget ?? {};
  const message =
    spent < micros
      ? `The next request would exceed the budget of ${dollars(micros)}: the task has cost ${dollars(spent)}.`
      : `The budget of ${dollars(micros)} is spent: the task has cost ${dollars(spent)}.`;
  return { type: "error", code: "BUDGET_EXCEEDED", message, recoverable: false };
}

/** Small amounts have four decimals, as elsewhere. */
const dollars = (micros: number): string => `$${(micros / 1e6).toFixed(micros >= 1e6 ? 2 : 4)}`;
