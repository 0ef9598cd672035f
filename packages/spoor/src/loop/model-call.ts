import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { AgentEvent, CostRecord } from "@spoor/protocol";
import type { LoopRun } from "./loop-run.ts";
import { type ModelOutput, StreamReader } from "./signals.ts";

/** A request to the model as the loop makes it. */
export type ModelRequest = Pick<LanguageModelV4CallOptions, "prompt" | "tools" | "maxOutputTokens" | "reasoning">;

/** The request of the next turn: the instructions and the conversation as it is stored, and the tools. */
export function requestOf(run: LoopRun, messages: LanguageModelV4Prompt): ModelRequest {
  const { max_output_tokens, thinking_effort } = run.execution.spec;
  const tools = run.model.canUseTools ? [...run.tools.values()].map(toolOf) : [];
  const effort = typeof thinking_effort === "string" ? efforts[thinking_effort] : undefined;
  return {
    prompt: [{ role: "system", content: run.system }, ...messages],
    ...(tools.length > 0 && { tools }),
    ...(typeof max_output_tokens === "number" && { maxOutputTokens: max_output_tokens }),
    ...(effort && { reasoning: effort }),
  };
}

const efforts: Readonly<Record<string, NonNullable<ModelRequest["reasoning"]>>> = {
  none: "none",
  minimal: "minimal",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
  max: "max",
};

function toolOf({ name, description, input }: { name: string; description: string; input: object }) {
  // The schema is plain JSON, without the symbols of the library that made it.
  const inputSchema = JSON.parse(JSON.stringify(input)) as LanguageModelV4FunctionTool["inputSchema"];
  return { type: "function", name, description, inputSchema } satisfies LanguageModelV4FunctionTool;
}

/** The stream ended before the model said that it was done. */
export class CutOffError extends Error {
  override readonly name = "CutOffError";
}

/**
 * Calls the model and tells what it says while it says it. Returns when the model is done.
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
  const { stream } = await model.model.doStream({ ...request, abortSignal: signal });
  for await (const part of stream) {
    if (signal.aborted) throw signal.reason;
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
  return output;
}

/** Tells the tokens of a model call and what they cost. Returns whether the budget is spent. */
export function tellUsage(run: LoopRun, { usage, finish }: ModelOutput): { isSpent: boolean } {
  const { record, budget } = run;
  if (!usage) {
    record.tell([{ kind: "callDone", ...(finish !== undefined && { stopReason: finish }) }]);
    return { isSpent: false };
  }
  const { inputTokens, outputTokens } = usage;
  const tokens = {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    ...(outputTokens.reasoning !== undefined && { thinkingTokens: outputTokens.reasoning }),
    ...(inputTokens.cacheRead !== undefined && { cachedTokens: inputTokens.cacheRead }),
    ...(inputTokens.cacheWrite !== undefined && { cacheWriteTokens: inputTokens.cacheWrite }),
  };
  const events = record.tell([{ kind: "usage", usage: tokens }]);
  const total = events.find((event): event is Extract<AgentEvent, { type: "cost" }> => event.type === "cost")?.cost;
  const price = run.estimate?.(run.model.id, tokens);
  const cost: CostRecord | undefined =
    price === undefined ? undefined : { totalUsd: price, ...withoutWrites(tokens), source: "estimated" };
  record.tell([{ kind: "callDone", ...(finish !== undefined && { stopReason: finish }), ...(cost && { cost }) }]);
  const notice = total && budget?.tick(record.runId, total);
  if (notice) record.recorder.onBudget(notice);
  return { isSpent: notice?.isExceeded === true };
}

const withoutWrites = ({ cacheWriteTokens: _, ...tokens }: { cacheWriteTokens?: number } & Omit<CostRecord, "totalUsd">) =>
  tokens;
