import { costSources } from "../agent-events/cost-sources.ts";
import { turnAt } from "./open-turn.ts";
import { count, type Handlers, number, oneOf, put } from "./payload-fields.ts";
import type { RunBudget, RunCost, Usage } from "./types-totals.ts";
import type { Draft } from "./view-draft.ts";

export const cost = {
  "cost.tick"(draft, data) {
    const total = put<RunCost>(
      { ...draft.run.cost },
      {
        usd: number(data.total_usd),
        micros: count(data.cumulative_cost_micros_usd),
        inputTokens: count(data.cumulative_input_tokens),
        outputTokens: count(data.cumulative_output_tokens),
        thinkingTokens: count(data.cumulative_thinking_tokens),
        cachedInputTokens: count(data.cumulative_cached_input_tokens),
        cacheWriteTokens: count(data.cumulative_cache_write_tokens),
        source: oneOf(costSources, data.cost_source),
      },
    );
    draft.run.cost = total;
    const micros = count(data.task_budget_micros_usd);
    const remainingMicros = number(data.task_budget_remaining_micros_usd);
    if (micros !== undefined || remainingMicros !== undefined) setBudget(draft, { micros, remainingMicros });
  },
  "cost.token_usage"(draft, data) {
    const at = turnAt(draft, data.turn_index);
    if (at === undefined) return;
    const turn = draft.lists.turns.edit(at);
    turn.usage = { ...turn.usage, ...usageOf(data) };
  },
  "cost.budget_warning"(draft, data) {
    setSpent(draft, data.cumulative_cost_micros_usd);
    setBudget(draft, {
      micros: count(data.task_budget_micros_usd),
      thresholdPct: number(data.threshold_pct),
      state: draft.run.budget?.state === "exceeded" ? "exceeded" : "warned",
    });
  },
  "cost.budget_exceeded"(draft, data) {
    setSpent(draft, data.cumulative_cost_micros_usd);
    const action = oneOf(["halted", "paused"], data.action);
    setBudget(draft, { micros: count(data.task_budget_micros_usd), action, state: "exceeded" });
  },
} satisfies Handlers;

/** Reads the cost fields of a payload. */
export function usageOf(data: { readonly [Field in keyof CostFields]?: unknown }): Usage {
  return put<Usage>(
    {},
    {
      usd: number(data.total_usd),
      micros: count(data.cost_micros_usd),
      inputTokens: count(data.input_tokens),
      outputTokens: count(data.output_tokens),
      thinkingTokens: count(data.thinking_tokens),
      cachedInputTokens: count(data.cached_input_tokens),
      cacheWriteTokens: count(data.cache_write_tokens),
      source: oneOf(costSources, data.cost_source),
    },
  );
}

/** Sets the run's total cost without changing its tokens. */
export function setSpent({ run }: Draft, value: unknown): void {
  const micros = count(value);
  if (micros !== undefined) run.cost = { ...run.cost, micros };
}

type CostFields = typeof import("../envelope/money.ts").costFields;

function setBudget({ run }: Draft, fields: { readonly [Key in keyof RunBudget]?: RunBudget[Key] | undefined }): void {
  run.budget = put<RunBudget>({ state: "within", ...run.budget }, fields);
}
