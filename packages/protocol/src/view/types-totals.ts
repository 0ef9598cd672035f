import type { CostRecord } from "../agent-events/cost-record.ts";

/** Cost and tokens of a turn or a subagent. Values that were not reported are absent. */
export interface Usage {
  /** Dollars as reported. */
  readonly usd?: number;
  readonly micros?: number;
  /** Input tokens including cache reads and writes. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly thinkingTokens?: number;
  readonly cachedInputTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly source?: NonNullable<CostRecord["source"]>;
}

/** Cost and tokens of the run so far. */
export interface RunCost extends Usage {
  readonly micros: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The budget of the run's task. */
export interface RunBudget {
  readonly micros?: number;
  readonly remainingMicros?: number;
  readonly state: "within" | "warned" | "exceeded";
  /** The share of the budget that was exceeded, in percent. */
  readonly thresholdPct?: number;
  /** What Spoor did when the budget was exceeded. */
  readonly action?: "halted" | "paused";
}

/** Context usage, compactions and rate limits of the run. */
export interface RunLimits {
  readonly context?: {
    readonly usedTokens: number;
    readonly maxTokens: number;
    readonly pctUsed: number;
    readonly at?: string;
  };
  readonly compactions: number;
  readonly rateLimited?: { readonly retryAfterMs?: number; readonly at?: string };
}

/** How the run ended. */
export interface RunEnd {
  readonly status: "completed" | "failed" | "cancelled";
  readonly code?: string;
  /** What went wrong, or why the run was cancelled. */
  readonly message?: string;
  readonly by?: string;
  readonly retriable?: boolean;
  readonly turns?: number;
  readonly durationMs?: number;
  readonly at?: string;
}
