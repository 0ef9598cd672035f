import type { LanguageModelV4 } from "@ai-sdk/provider";
import { type AddressRule, addressOf } from "./addresses.ts";
import { demo } from "./demo/demo.ts";
import type { Provider } from "./provider.ts";

/** The providers that Spoor knows. Packages are loaded when a model is used. */
export const knownProviders: readonly Provider[] = [
  {
    name: "anthropic",
    title: "Anthropic",
    api: "anthropic",
    keys: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
    addresses: ["ANTHROPIC_BASE_URL"],
    prices: "anthropic",
    load: async (model, environment) => {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: authToken } = environment;
      const baseURL = addressOf(addresses.anthropic, environment);
      return createAnthropic({ baseURL, ...(apiKey ? { apiKey } : authToken ? { authToken } : {}) }).messages(model);
    },
  },
  {
    name: "openai",
    title: "OpenAI",
    api: "openai",
    keys: ["OPENAI_API_KEY"],
    addresses: ["OPENAI_BASE_URL"],
    prices: "openai",
    load: async (model, environment) => {
      const { createOpenAI } = await import("@ai-sdk/openai");
      const baseURL = addressOf(addresses.openai, environment);
      return createOpenAI({ baseURL, apiKey: environment.OPENAI_API_KEY ?? "" }).responses(model);
    },
  },
  {
    name: "google",
    title: "Google Gemini",
    api: "google",
    keys: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
    addresses: ["GOOGLE_GENERATIVE_AI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"],
    prices: "google",
    load: async (model, environment) => {
      const { createGoogle } = await import("@ai-sdk/google");
      const apiKey = environment.GOOGLE_GENERATIVE_AI_API_KEY || environment.GEMINI_API_KEY || "";
      return createGoogle({ baseURL: addressOf(addresses.google, environment), apiKey }).chat(model);
    },
  },
  ...[
    hosted("openrouter", "OpenRouter", "OPENROUTER", "https://openrouter.ai/api/v1", "openrouter"),
    hosted("groq", "Groq", "GROQ", "https://api.groq.com/openai/v1", "groq"),
    hosted("mistral", "Mistral", "MISTRAL", "https://api.mistral.ai/v1", "mistral"),
    hosted("xai", "xAI", "XAI", "https://api.x.ai/v1", "x-ai"),
    hosted("cerebras", "Cerebras", "CEREBRAS", "https://api.cerebras.ai/v1", "cerebras"),
    hosted("together", "Together", "TOGETHER", "https://api.together.xyz/v1", "together"),
    hosted("fireworks", "Fireworks", "FIREWORKS", "https://api.fireworks.ai/inference/v1", "fireworks"),
    // These need the thinking of earlier turns back.
    { ...hosted("deepseek", "DeepSeek", "DEEPSEEK", "https://api.deepseek.com/v1", "deepseek"), returnsThinking: true },
    {
      ...hosted("moonshotai", "Moonshot", "MOONSHOT", "https://api.moonshot.ai/v1", "moonshotai"),
      returnsThinking: true,
    },
    { ...hosted("zai", "Z.ai", "ZAI", "https://api.z.ai/api/paas/v4", "zai"), returnsThinking: true },
    local("ollama", "Ollama", "OLLAMA_HOST", "http://127.0.0.1:11434/v1"),
    local("lmstudio", "LM Studio", "LMSTUDIO_BASE_URL", "http://127.0.0.1:1234/v1"),
  ],
  demo,
];

/** Loads a model of a server that speaks OpenAI's Chat Completions. */
export async function loadCompatible(
  name: string,
  baseURL: string,
  apiKey: string | undefined,
  model: string,
): Promise<LanguageModelV4> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const provider = createOpenAICompatible({ name, baseURL, includeUsage: true, ...(apiKey && { apiKey }) });
  return provider.chatModel(model);
}

const addresses = {
  anthropic: { variables: ["ANTHROPIC_BASE_URL"], standard: "https://api.anthropic.com/v1", version: "/v1" },
  openai: {
    variables: ["OPENAI_BASE_URL"],
    standard: "https://api.openai.com/v1",
    version: "/v1",
    isPathKept: true,
  },
  google: {
    variables: ["GOOGLE_GENERATIVE_AI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"],
    standard: "https://generativelanguage.googleapis.com/v1beta",
    version: "/v1beta",
  },
} satisfies Record<string, AddressRule>;

function hosted(name: string, title: string, prefix: string, standard: string, prices: string): Provider {
  const key = `${prefix}_API_KEY`;
  const rule = { variables: [`${prefix}_BASE_URL`], standard, version: "/v1", isPathKept: true };
  return {
    ...{ name, title, prices, api: "compatible", keys: [key], addresses: rule.variables },
    load: (model, environment) => loadCompatible(name, addressOf(rule, environment), environment[key], model),
  };
}

function local(name: string, title: string, variable: string, standard: string): Provider {
  const rule = { variables: [variable], standard, version: "/v1", isPathKept: true, port: new URL(standard).port };
  return {
    ...{ name, title, api: "compatible", keys: [], addresses: rule.variables, isLocal: true },
    load: (model, environment) => loadCompatible(name, addressOf(rule, environment), undefined, model),
  };
}
