import type { LanguageModelV4 } from "@ai-sdk/provider";

/** A company or a server that offers models. */
export interface Provider {
  /** The part of a model's name before the slash. */
  readonly name: string;
  readonly title: string;
  /** The variables of which one must hold the key. Empty if none is needed. */
  readonly keys: readonly string[];
  /** Loads the provider's package. `environment` holds the key and, if set, the address of the server. */
  load(model: string, environment: NodeJS.ProcessEnv): Promise<LanguageModelV4>;
}

/** A model that the loop can call. */
export interface LoopModel {
  /** Provider and model, such as `anthropic/claude-sonnet-4-5`. */
  readonly name: string;
  readonly provider: string;
  /** The model's own name. */
  readonly id: string;
  readonly model: LanguageModelV4;
  /** How many tokens fit into a request; undefined if unknown. */
  readonly contextTokens: number | undefined;
  readonly canUseTools: boolean;
}

/** What went wrong with a request to a model. */
export interface ModelFailure {
  /** `context` means that the request was too long. */
  kind: "auth" | "rate_limit" | "overloaded" | "context" | "unreachable" | "cut_off" | "invalid" | "other";
  message: string;
  /** The HTTP status. */
  status?: number;
  retriable: boolean;
  /** How long the provider asks to wait. */
  retryAfterMs?: number;
}
