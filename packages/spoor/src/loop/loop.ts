import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { Fact, TerminalType } from "../agents/signal.ts";
import { ArtifactError } from "../runtime/artifacts/errors.ts";
import { budgetEvent } from "../runtime/budgets/budget-events.ts";
import { freshStart } from "./beginning.ts";
import { compact, isTooLong, tokensOf } from "./context.ts";
import { type LoopRun, mustStillPerform, readOn, type TurnEnd } from "./loop-run.ts";
import { requestOf } from "./model-call.ts";
import type { ModelRequest } from "./providers/request.ts";
import { budgetSpent, continueTurn, performTurn } from "./turn.ts";

/** Turns of a run, unless the task says otherwise. */
const MAX_TURNS = 200;

/**
 * Performs a run turn by turn, until the model has answered, a person must decide, somebody pauses or stops the run, or a
 * limit is reached. `parked` and `paused` give the run back: it is queued again later, and goes on here.
 */
export async function performRun(run: LoopRun): Promise<"over" | "parked" | "paused"> {
  tellMissingTools(run);
  for (;;) {
    mustStillPerform(run);
    const stopped = stopOf(run);
    if (stopped) return end(run, stopped);
    const step = await nextStep(run);
    if (step === "paused") return pause(run);
    if (step === "answered") return end(run);
    if (step.next === "parked") return "parked";
    if (step.next === "end") return end(run, step.failure);
  }
}

/** What the run does next. Commands that wait for the end of a turn are carried out here. */
async function nextStep(run: LoopRun): Promise<TurnEnd | "paused" | "answered"> {
  const { conversation, control, execution } = run;
  if (conversation.openTurn) return continueTurn(run);
  await run.takeCommands();
  if (control.stopReason !== undefined) return { next: "go" };
  if (control.isPauseWanted) return "paused";
  for (const prompt of control.takePrompts()) prompt.write();
  await readOn(run);
  if (conversation.isAnswered) return "answered";
  const { max_turns: maxTurns = MAX_TURNS } = execution.spec as { max_turns?: number };
  if (conversation.turns >= maxTurns) return { next: "end", failure: { type: "turn_limit", maxTurns } };
  const request = await nextRequest(run);
  if (control.stopReason !== undefined) return { next: "go" };
  if (isBeyondBudget(run, request)) return { next: "end", failure: budgetSpent(run) };
  return performTurn(run, request);
}

/** The next request to the model: the conversation as it is stored, shortened if it is too long. */
async function nextRequest(run: LoopRun): Promise<ModelRequest> {
  const request = requestOf(run, await messagesOf(run));
  if (!isTooLong(run, request) || !(await compact(run))) return request;
  return requestOf(run, await messagesOf(run));
}

/** The conversation. If what the provider needs back is gone, that is told, and the run begins anew. */
async function messagesOf(run: LoopRun): Promise<LanguageModelV4Prompt> {
  try {
    return await run.conversation.messages(run.readState);
  } catch (error) {
    if (!(error instanceof ArtifactError)) throw error;
    run.record.own([["gap.run_disconnected", freshStart(error.message)]]);
    await readOn(run);
    return run.conversation.messages(run.readState);
  }
}

/** Whether the budget is spent, or the next call would spend it by its input alone. */
function isBeyondBudget({ budget, estimate, model, record }: LoopRun, request: ModelRequest): boolean {
  if (!budget || budget.budget.advisory) return false;
  const price = estimate?.(model.id, { inputTokens: tokensOf(request), outputTokens: 0 }) ?? 0;
  const { spent } = budget;
  if (spent < budget.budget.micros && spent + price * 1e6 <= budget.budget.micros) return false;
  const runMicros = budget.spentOf(record.runId);
  const notice = {
    runId: record.runId,
    isExceeded: true,
    runMicros,
    taskMicros: spent,
    budgetMicros: budget.budget.micros,
  };
  record.own([budgetEvent(notice)]);
  return true;
}

/** A model that cannot call tools works without them. */
function tellMissingTools({ model, tools, record, conversation }: LoopRun): void {
  if (model.canUseTools || tools.size === 0 || conversation.turns > 0) return;
  const fallback_strategy = "The model works without tools.";
  record.own([
    ["error.model_capability_missing", { model: model.name, missing_capability: "tools", fallback_strategy }],
  ]);
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
