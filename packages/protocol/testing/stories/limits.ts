import { Story } from "../story.ts";

/** The budget warning comes, then the budget is exceeded and the runtime halts the run. */
export const budgetExceeded = (): Story =>
  new Story("Translate the docs.")
    .begin()
    .turn()
    .message("Translating.")
    .emit("cost", { cost: { totalUsd: 0.04012, inputTokens: 9_000, outputTokens: 4_100, source: "estimated" } })
    .fact("cost.budget_warning", {
      threshold_pct: 80,
      cumulative_cost_micros_usd: 40_120,
      task_budget_micros_usd: 50_000,
    })
    .endTurn()
    .turn()
    .message("Translating m")
    .emit("cost", { cost: { totalUsd: 0.05024, inputTokens: 11_000, outputTokens: 5_200, source: "estimated" } })
    .fact("cost.budget_exceeded", {
      cumulative_cost_micros_usd: 50_240,
      task_budget_micros_usd: 50_000,
      action: "halted",
    })
    .endTurn({ stopReason: "aborted" })
    .emit("error", { code: "BUDGET_EXCEEDED", message: "The task's budget is spent.", recoverable: false })
    .end();

/** The service is overloaded: two retries, then it gives up. */
export const upstreamFailure = (): Story =>
  new Story("Explain this.", { agent: "codex" })
    .begin()
    .turn()
    .emit("rate_limited", { retryAfterMs: 1_000 })
    .fact("error.upstream", {
      provider: "anthropic",
      status: 529,
      message: "overloaded_error",
      retriable: true,
      attempt: 1,
      max_attempts: 3,
    })
    .fact("turn.failed", { turn_index: 1, code: "model_overloaded", message: "529", will_retry: true })
    .emit("retry", { attempt: 1, maxAttempts: 2, reason: "rate_limited", delayMs: 1_000 })
    .endTurn()
    .wait(1_000)
    .turn()
    .emit("stream_fallback", { capability: "thinking", reason: "The model sends its thoughts in one piece." })
    .emit("rate_limit_error", { message: "529 overloaded", retryAfterMs: 2_000 })
    .emit("retry", { attempt: 2, maxAttempts: 2, reason: "rate_limited", delayMs: 2_000 })
    .endTurn()
    .emit("rate_limit_error", { message: "529 overloaded" })
    .end();

export const unrecoverable = (): Story =>
  new Story("Start.")
    .begin()
    .emit("error", { code: "CONFIG_ERROR", message: "settings.json is not JSON.", recoverable: false })
    .end();
