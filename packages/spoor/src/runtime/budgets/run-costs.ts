import { unprefixed } from "@spoor/protocol/ids";
import type { LogDraft } from "../../log/log.ts";
import type { StoredRun } from "../../log/records.ts";
import type { BudgetMeter } from "../../run/budget-meter.ts";

/** Adds totals of the run and of its task to the events of a run that tell its cost. */
export class RunCosts {
  readonly #runId: string;
  readonly #prior: number;
  readonly #budget: BudgetMeter | undefined;

  /** `prior` is the cost of the runs that this one continues. */
  constructor(run_id: string, prior: number, budget: BudgetMeter | undefined) {
    this.#runId = unprefixed("run", run_id);
    this.#prior = prior;
    this.#budget = budget;
  }

  /** `cost` is that of the run so far; undefined if it is not known. */
  addTo(drafts: readonly LogDraft[], cost: number | undefined): void {
    if (cost === undefined) return;
    for (const draft of drafts) {
      const more = totals[draft.type]?.(cost, this.#prior, this.#budget?.spentWith(this.#runId, cost), this.#budget);
      if (more) draft.json = JSON.stringify({ ...(JSON.parse(draft.json) as object), ...more });
    }
  }
}

type Totals = (run: number, prior: number, task?: number, budget?: BudgetMeter) => Record<string, number> | undefined;

const totals: Readonly<Record<string, Totals>> = {
  "turn.completed": (run, prior) => ({
    run_cumulative_cost_micros_usd: run,
    task_cumulative_cost_micros_usd: prior + run,
  }),
  "cost.tick": (_, __, task, budget) => {
    if (!budget || task === undefined) return undefined;
    const { micros } = budget.budget;
    return {
      task_cumulative_cost_micros_usd: task,
      task_budget_micros_usd: micros,
      task_budget_remaining_micros_usd: micros - task,
    };
  },
};

/** The cost of the run and all runs it continues, as far as their agents reported one. */
export function priorCost({ cost_micros_usd, prior_cost_micros_usd }: StoredRun): { prior_cost_micros_usd?: number } {
  if (cost_micros_usd === undefined && prior_cost_micros_usd === undefined) return {};
  return { prior_cost_micros_usd: (cost_micros_usd ?? 0) + (prior_cost_micros_usd ?? 0) };
}
