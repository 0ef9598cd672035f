import type { DialectName } from "../model-server/script.ts";

/** A provider of the loop, and how it is pointed at a scripted server. */
export interface ProviderWire {
  /** `provider/model`. */
  model: string;
  /** The language that the server speaks. */
  dialect: DialectName;
  /** The variable that holds the key; undefined if there is none. */
  key: string | undefined;
  /** The variables that name the server. */
  env(url: string): Record<string, string>;
  /** What the provider wants back unread with the next request, as it stands there. */
  returns: readonly string[];
}

/** One provider of each API, and those that differ from others of theirs. */
export const wires: readonly ProviderWire[] = [
  {
    model: "anthropic/claude-sonnet-4-5",
    dialect: "anthropic",
    key: "ANTHROPIC_API_KEY",
    env: (url) => ({ ANTHROPIC_BASE_URL: url }),
    returns: ['"thinking":"Let me see."', '"signature":"c2NyaXB0ZWQ="'],
  },
  {
    model: "openai/gpt-5.5",
    dialect: "responses",
    key: "OPENAI_API_KEY",
    env: (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
    returns: ['"encrypted_content":"c2NyaXB0ZWQ="', '"store":false', '"include":["reasoning.encrypted_content"]'],
  },
  {
    model: "google/gemini-2.5-pro",
    dialect: "gemini",
    key: "GEMINI_API_KEY",
    env: (url) => ({ GOOGLE_GEMINI_BASE_URL: url }),
    returns: ['"thoughtSignature":"U0lH"'],
  },
  {
    model: "deepseek/deepseek-chat",
    dialect: "chat",
    key: "DEEPSEEK_API_KEY",
    env: (url) => ({ DEEPSEEK_BASE_URL: `${url}/v1` }),
    returns: ['"reasoning_content":"Let me see."'],
  },
  {
    model: "openai-compatible/any-model",
    dialect: "chat",
    key: "OPENAI_COMPATIBLE_API_KEY",
    env: (url) => ({ OPENAI_COMPATIBLE_BASE_URL: `${url}/v1` }),
    returns: [],
  },
  {
    model: "ollama/qwen3-coder",
    dialect: "chat",
    key: undefined,
    env: (url) => ({ OLLAMA_HOST: url.replace("http://", "") }),
    returns: [],
  },
];

/** One provider of each language: what is proven for it holds for all that speak it. */
export const provenWires: readonly ProviderWire[] = wires.filter(({ dialect }, index) => {
  const { dialect: other } = wires[index - 1] ?? {};
  return dialect !== other;
});
