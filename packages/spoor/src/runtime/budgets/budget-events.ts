import type { BudgetNotice } from "../../run/budget-meter.ts";

/** The event that says that a part of the budget is spent: its type and its data. */
export function budgetEvent(notice: BudgetNotice): [type: string, data: Record<string, unknown>] {
  const { threshold, isExceeded, runMicros, taskMicros, budgetMicros, source } = notice;
  const amounts = {
    cumulative_cost_micros_usd: runMicros,
    task_cumulative_cost_micros_usd: taskMicros,
    task_budget_micros_usd: budgetMicros,
    ...(source && { cost_source: source }),
  };
  if (isExceeded) return ["cost.budget_exceeded", { ...amounts, action: "halted" }];
  return ["cost.budget_warning", { threshold_pct: threshold, ...amounts }];
}
