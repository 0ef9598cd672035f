import { costSources } from "../agent-events/cost-sources.ts";
import { Count, oneOf, optional, Type } from "../schema.ts";
import { dotted, turnIndex } from "./define.ts";

const cumulative_cost_micros_usd = Count("The cost of the run so far, in millionths of a dollar.");
const task_budget_micros_usd = Count("The task's budget.");
const budgetScope = {
  task_cumulative_cost_micros_usd: optional(Count("The cost of all runs of the task so far, which the budget limits.")),
  cost_source: optional(oneOf(costSources, "Where the cost comes from.")),
};
const Change = (description: string) => Type.Integer({ description });

export const costDefinitions = [
  dotted("cost.tick", "core", "What the run has cost so far. The last tick is the total.", {
    cumulative_input_tokens: Count("Input tokens so far, cache reads and writes included."),
    cumulative_output_tokens: Count("Output tokens so far."),
    cumulative_cost_micros_usd,
    total_usd: optional(Type.Number({ minimum: 0, description: "The cumulative cost as it was reported." })),
    cumulative_thinking_tokens: optional(Count("Thinking tokens so far.")),
    cumulative_cached_input_tokens: optional(Count("Cache reads so far.")),
    cumulative_cache_write_tokens: optional(Count("Cache writes so far.")),
    cost_source: optional(oneOf(costSources, "Where the cost comes from.")),
    delta_input_tokens: optional(Change("Since the last tick; negative when a figure was corrected.")),
    delta_output_tokens: optional(Change("Since the last tick.")),
    delta_cost_micros_usd: optional(Change("Since the last tick.")),
    task_cumulative_cost_micros_usd: budgetScope.task_cumulative_cost_micros_usd,
    task_budget_micros_usd: optional(task_budget_micros_usd),
    task_budget_remaining_micros_usd: optional(Change("The rest of the budget.")),
  }),
  dotted("cost.token_usage", "additive", "Tokens of one model call.", {
    turn_index: optional(turnIndex),
    input_tokens: Count("Input tokens, cache reads and writes included."),
    output_tokens: Count("Output tokens."),
    thinking_tokens: optional(Count("Thinking tokens.")),
    cached_input_tokens: optional(Count("Cache reads.")),
  }),
  dotted("cost.budget_warning", "core", "A large part of the budget is spent.", {
    threshold_pct: Type.Number({
      minimum: 0,
      maximum: 100,
      description: "The share of the budget that was exceeded, in percent.",
    }),
    cumulative_cost_micros_usd,
    task_budget_micros_usd,
    ...budgetScope,
  }),
  dotted("cost.budget_exceeded", "core", "The budget is spent.", {
    cumulative_cost_micros_usd,
    task_budget_micros_usd,
    action: oneOf(["halted", "paused"], "What Spoor did with the run."),
    ...budgetScope,
  }),
] as const;
