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
}

/** One provider of each API, and those that differ from others of theirs. */
export const wires: readonly ProviderWire[] = [
  {
    model: "anthropic/claude-sonnet-4-5",
    dialect: "anthropic",
    key: "ANTHROPIC_API_KEY",
    env: (url) => ({ ANTHROPIC_BASE_URL: url }),
  },
  {
    model: "openai/gpt-5.5",
    dialect: "responses",
    key: "OPENAI_API_KEY",
    env: (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
  },
  {
    model: "google/gemini-2.5-pro",
    dialect: "gemini",
    key: "GEMINI_API_KEY",
    env: (url) => ({ GOOGLE_GEMINI_BASE_URL: url }),
  },
  {
    model: "deepseek/deepseek-chat",
    dialect: "chat",
    key: "DEEPSEEK_API_KEY",
    env: (url) => ({ DEEPSEEK_BASE_URL: `${url}/v1` }),
  },
  {
    model: "openai-compatible/any-model",
    dialect: "chat",
    key: "OPENAI_COMPATIBLE_API_KEY",
    env: (url) => ({ OPENAI_COMPATIBLE_BASE_URL: `${url}/v1` }),
  },
  {
    model: "ollama/qwen3-coder",
    dialect: "chat",
    key: undefined,
    env: (url) => ({ OLLAMA_HOST: url.replace("http://", "") }),
  },
];
