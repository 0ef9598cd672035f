import type { LanguageModelV4FunctionTool, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { AgentEvent, CostRecord } from "@spoor/protocol";
import type { LoopRun } from "./loop-run.ts";
import { callOptionsOf, type ModelRequest, type ModelSettings } from "./providers/request.ts";
import { usageOf } from "./providers/usage.ts";
import { type ModelOutput, StreamReader } from "./signals.ts";
import type { LoopTool } from "./tools/tool.ts";

/** The request of the next turn: the instructions, the conversation as it is stored, and the tools. */
export function requestOf(run: LoopRun, messages: LanguageModelV4Prompt): ModelRequest {
  const { max_output_tokens, thinking_effort, thinking_budget_tokens } = run.execution.spec;
  const settings = {
    ...(max_output_tokens !== undefined && { maxOutputTokens: max_output_tokens }),
    ...(thinking_effort !== undefined && { thinkingEffort: thinking_effort }),
    ...(thinking_budget_tokens !== undefined && { thinkingBudgetTokens: thinking_budget_tokens }),
  } as ModelSettings;
  const tools = run.model.canUseTools ? [...run.tools.values()].map(toolOf) : [];
  return { prompt: [{ role: "system", content: run.system }, ...messages], tools, ...settings };
}

function toolOf({ name, description, input, schema = input }: LoopTool): LanguageModelV4FunctionTool {
  // The schema is plain JSON, without the symbols of the library that made it.
  return { type: "function", name, description, inputSchema: JSON.parse(JSON.stringify(schema)) };
}

/** The stream ended before the model said that it was done. */
export class CutOffError extends Error {
  override readonly name = "CutOffError";
}

/**
 * Calls the model, and tells what it says while it says it. Returns when the model is done.
 *
 * @throws what the provider throws, and {CutOffError}.
 */
export async function callModel(run: LoopRun, request: ModelRequest, turn: number): Promise<ModelOutput> {
  const { model, record, signal, tools, conversation } = run;
  const reader = new StreamReader({
    turn,
    findTool: (name) => tools.get(name),
    isUsed: (id) => conversation.callIds.has(id),
  });
  const { stream } = await model.model.doStream(callOptionsOf(model, { ...request, signal }));
  for await (const part of stream) {
    signal.throwIfAborted();
    if (part.type === "error") throw part.error;
    const signals = reader.read(part);
    if (signals.length > 0) record.tell(signals);
    const drained = record.recorder.drained();
    if (drained) await drained;
  }
  const { output } = reader;
  if (output.finish === undefined || output.finish === "error" || output.finish === "interrupted") {
    throw new CutOffError("The answer of the model was cut off.");
  }
  const message = incomplete[output.finish];
  if (message !== undefined) record.tell([{ kind: "note", level: "warn", message }]);
  return output;
}

/** What the user is told about an answer that ended for another reason than that it was complete. */
const incomplete: Readonly<Record<string, string | undefined>> = {
  length:
    "The model reached its output limit, so its answer may be incomplete. Raise the limit, or ask it to continue.",
  "content-filter": "The provider's filter stopped the model, so its answer may be incomplete.",
};

/** Tells the tokens of a model call and what they cost. Returns whether the budget is spent. */
export function tellUsage(run: LoopRun, { usage, finish }: ModelOutput): { isSpent: boolean } {
  const { record, budget, model, estimate } = run;
  const done = finish === undefined ? {} : { stopReason: finish };
  const tokens = usage && usageOf(usage);
  if (!tokens) {
    record.tell([{ kind: "callDone", ...done }]);
    return { isSpent: false };
  }
  const price = estimate?.(model.id, tokens);
  const cost = price === undefined ? {} : { cost: { totalUsd: price, ...tokens, source: "estimated" } as CostRecord };
  const events = record.tell([{ kind: "usage", usage: tokens }]);
  record.tell([{ kind: "callDone", ...done, ...cost }]);
  const total = events.find((event): event is Extract<AgentEvent, { type: "cost" }> => event.type === "cost")?.cost;
  const notice = total && budget?.tick(record.runId, total);
  if (notice) record.recorder.onBudget(notice);
  return { isSpent: notice?.isExceeded === true };
}
