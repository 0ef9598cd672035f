import type { CostRecord } from "../agent-events/cost-record.ts";

/** Money and tokens of a turn or a subagent. What nobody reported is absent. */
export interface Usage {
  /** Dollars as they were reported. */
  readonly usd?: number;
  readonly micros?: number;
  /** Cache reads and writes included. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly thinkingTokens?: number;
  readonly cachedInputTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly source?: NonNullable<CostRecord["source"]>;
}

/** The run so far. */
export interface RunCost extends Usage {
  readonly micros: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface RunBudget {
  readonly micros?: number;
  readonly remainingMicros?: number;
  readonly state: "within" | "warned" | "exceeded";
  /** The share that was passed, in percent. */
  readonly thresholdPct?: number;
  /** What was done about an exceeded budget. */
  readonly action?: "halted" | "paused";
}

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

export interface RunEnd {
  readonly status: "completed" | "failed" | "cancelled";
  readonly code?: string;
  /** What went wrong, or why it was cancelled. */
  readonly message?: string;
  readonly by?: string;
  readonly retriable?: boolean;
  readonly turns?: number;
  readonly durationMs?: number;
  readonly at?: string;
}
