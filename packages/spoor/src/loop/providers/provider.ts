import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ErrorCode } from "@spoor/protocol";

/** The API that a model is called through. Each has its own options, limits and wording of errors. */
export type ModelApi = "anthropic" | "openai" | "google" | "compatible" | "demo";

/** A company or a server that offers models. */
export interface Provider {
  /** The part of a model's name before the slash. */
  readonly name: string;
  readonly title: string;
  readonly api: ModelApi;
  /** The variables of which one must hold the key. Empty if none is needed. */
  readonly keys: readonly string[];
  /** The server also answers without a key. */
  readonly isKeyOptional?: boolean;
  /** The variables that may hold another address of the server. */
  readonly addresses: readonly string[];
  /** The server runs on this machine. */
  readonly isLocal?: boolean;
  /** The provider's name in the list of prices. Absent if it has no prices. */
  readonly prices?: string;
  /** The model of the list of prices whose price counts, if it is not the model's own name. */
  readonly pricedAs?: string;
  /** Whether the thinking of earlier turns goes back to the model as text, which some servers need and others refuse. */
  readonly returnsThinking?: boolean;
  /** How many tokens fit into a request, if the user configured it. */
  readonly contextTokens?: number;
  /** Throws if the provider is known not to have this model. */
  check?(model: string): void;
  /** Loads the provider's package. `environment` holds the key and, if set, the address of the server. */
  load(model: string, environment: NodeJS.ProcessEnv): Promise<LanguageModelV4>;
}

/** A model that the loop can call. */
export interface LoopModel {
  /** Provider and model, such as `anthropic/claude-sonnet-4-5`. */
  readonly name: string;
  readonly provider: string;
  readonly api: ModelApi;
  /** The model's own name. */
  readonly id: string;
  /** Its streams end with exactly one `finish` or `error`, and its errors hold no key; see `guard.ts`. */
  readonly model: LanguageModelV4;
  /** How many tokens fit into a request; undefined if unknown. */
  readonly contextTokens: number | undefined;
  readonly canUseTools: boolean;
  /** The provider's name in the list of prices; undefined if it has no prices. */
  readonly prices?: string | undefined;
  readonly pricedAs?: string;
  readonly isLocal?: boolean;
  readonly returnsThinking?: boolean;
}

/** What went wrong with a request to a model. */
export interface ModelFailure {
  /** `context` means that the request was too long. */
  kind: "auth" | "rate_limit" | "overloaded" | "context" | "unreachable" | "cut_off" | "invalid" | "other";
  /** The code of a run that fails because of it; the same as for external agents. */
  code: ErrorCode;
  message: string;
  /** The HTTP status. */
  status?: number;
  retriable: boolean;
  /** How long the provider asks to wait. */
  retryAfterMs?: number;
  /** Set for `context` if the provider names the figures. */
  tokens?: { used: number; most: number };
}
