import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { CapabilityError } from "../../failures/errors.ts";
import type { RunOptions } from "../../options/run-options.gen.ts";
import type { LoopModel, ModelApi } from "./provider.ts";
import { acceptedSchema } from "./schemas.ts";

/** How the model is to answer. */
export type ModelSettings = Pick<RunOptions, "thinkingEffort" | "thinkingBudgetTokens" | "maxOutputTokens">;

export interface ModelRequest extends ModelSettings {
  /** System prompt and conversation. */
  prompt: LanguageModelV4Prompt;
  tools?: readonly LanguageModelV4FunctionTool[];
  signal?: AbortSignal;
}

/** The options of `doStream`: the request in the way that the model's API takes it. */
export function callOptionsOf(
  { api, id, name, returnsThinking = false }: LoopModel,
  request: ModelRequest,
): LanguageModelV4CallOptions {
  const { prompt, tools = [], signal, maxOutputTokens, thinkingEffort } = request;
  const problem = settingsProblem({ api, name }, request);
  if (problem !== undefined) throw new CapabilityError("loop", "thinkingBudgetTokens", problem);
  const { options, cache } = apis[api];
  const providerOptions = options(id, request);
  const sent = sentPrompt(prompt, api !== "compatible" || returnsThinking);
  const accepted = tools.map((tool) => ({ ...tool, inputSchema: acceptedSchema(tool.inputSchema) }));
  return {
    prompt: cache === undefined ? sent : withCache(sent, cache),
    ...(accepted.length > 0 && { tools: accepted, toolChoice: { type: "auto" } }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(thinkingEffort !== undefined && { reasoning: thinkingEffort }),
    ...(providerOptions !== undefined && { providerOptions }),
    ...(signal && { abortSignal: signal }),
  };
}

/** Says which setting a model's API does not have. Undefined if it has all of them. */
export function settingsProblem(
  { api, name }: Pick<LoopModel, "api" | "name">,
  settings: ModelSettings,
): string | undefined {
  if (settings.thinkingBudgetTokens === undefined || apis[api].takesBudget) return undefined;
  return `${name} takes no thinking budget in tokens. Use thinkingEffort instead.`;
}

type ProviderOptions = NonNullable<LanguageModelV4CallOptions["providerOptions"]>;

interface ApiRow {
  takesBudget: boolean;
  /** Options of the API that all providers do not share. The effort is not among them. */
  options(id: string, settings: ModelSettings): ProviderOptions | undefined;
  /** Marks a message up to which the provider keeps the request, so that the next one is cheaper. */
  cache?: ProviderOptions;
}

const apis: Readonly<Record<ModelApi, ApiRow>> = {
  anthropic: {
    takesBudget: true,
    options: (_, { thinkingBudgetTokens: budgetTokens }) =>
      budgetTokens === undefined ? undefined : { anthropic: { thinking: { type: "enabled", budgetTokens } } },
    cache: { anthropic: { cacheControl: { type: "ephemeral" } } },
  },
  openai: {
    takesBudget: false,
    // Nothing is kept at OpenAI, so its thinking comes back encrypted and is sent again. Some accounts may not see
    // summaries of it, so they are asked for only together with an effort.
    options: (_, { thinkingEffort }) => ({
      openai: { store: false, ...(thinkingEffort !== undefined && { reasoningSummary: "auto" }) },
    }),
  },
  google: {
    takesBudget: true,
    options: (id, { thinkingBudgetTokens: thinkingBudget }) => {
      // Older models refuse these options.
      if (thinkingBudget === undefined && !/^gemini-(2\.5|[3-9])/.test(id)) return undefined;
      const budget = thinkingBudget !== undefined && { thinkingBudget };
      return { google: { thinkingConfig: { includeThoughts: true, ...budget } } };
    },
  },
  compatible: { takesBudget: false, options: () => undefined },
  demo: { takesBudget: true, options: () => undefined },
};

/** The system prompt, with the tools before it, and the conversation so far. */
function withCache(prompt: LanguageModelV4Prompt, cache: ProviderOptions): LanguageModelV4Prompt {
  const system = prompt.findLastIndex(({ role }) => role === "system");
  const marked = new Set([system, prompt.length - 1]);
  return prompt.map((message, index) =>
    marked.has(index) ? { ...message, providerOptions: { ...message.providerOptions, ...cache } } : message,
  );
}

/** Providers refuse empty texts and messages without content, and some servers refuse thinking that comes back. */
function sentPrompt(prompt: LanguageModelV4Prompt, takesThinking: boolean): LanguageModelV4Prompt {
  return prompt.flatMap((message): LanguageModelV4Prompt => {
    if (message.role === "system") return message.content.trim() === "" ? [] : [message];
    if (message.role === "tool") return [message];
    const content = message.content.filter((part) =>
      part.type === "text" ? part.text.trim() !== "" : part.type !== "reasoning" || takesThinking,
    );
    return content.length === 0 ? [] : [{ ...message, content } as typeof message];
  });
}
