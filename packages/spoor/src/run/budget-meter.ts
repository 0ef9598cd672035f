import type { CostRecord } from "@spoor/protocol";

/** Shares of a budget, in percent, of which a run tells that they are spent. */
const THRESHOLDS = [50, 80, 95] as const;

/** The budget of a task, in millionths of a dollar. */
export interface Budget {
  micros: number;
  /** The run only tells that the budget is spent, and goes on. */
  advisory: boolean;
}

/** What a run tells about its budget when its cost changes. */
export interface BudgetNotice {
  /** The run whose cost changed, without the prefix `run_`. */
  runId: string;
  /** The share of the budget that is spent, in percent; 100 if the budget is spent and only advisory. */
  threshold?: number;
  /** The budget is spent, and the run ends. */
  isExceeded: boolean;
  /** The cost of the run, and that of all runs of its task. */
  runMicros: number;
  taskMicros: number;
  budgetMicros: number;
  source?: CostRecord["source"];
}

/**
 * Adds up what the runs of one process cost, with what their task cost before, and compares the sum with a budget. A share
 * of the budget is told once. If one cost crosses several shares, only the greatest is told.
 */
export class BudgetMeter {
  readonly budget: Budget;
  /** What the task had cost before. */
  #before = 0;
  readonly #costs = new Map<string, number>();
  /** The greatest share that was told. */
  #told = 0;

  constructor(budget: Budget) {
    this.budget = budget;
  }

  /** Millionths of a dollar that all runs of the task have cost. */
  get spent(): number {
    return [...this.#costs.values()].reduce((sum, cost) => sum + cost, this.#before);
  }

  /** What the task will have cost once this run has cost so much. */
  spentWith(runId: string, micros: number): number {
    return this.spent - (this.#costs.get(runId) ?? 0) + micros;
  }

  /** What one run has cost. */
  spentOf(runId: string): number {
    return this.#costs.get(runId) ?? 0;
  }

  /** Sets what the earlier runs of the task have cost. */
  carryOver(micros: number): void {
    this.#before = micros;
  }

  /** The run has cost this much so far. Returns what there is to tell. */
  tick(runId: string, cost: CostRecord | undefined): BudgetNotice | undefined {
    if (cost) this.#costs.set(runId, Math.round(cost.totalUsd * 1e6));
    const { micros, advisory } = this.budget;
    const { spent } = this;
    const crossed = spent >= micros ? 100 : THRESHOLDS.findLast((share) => spent * 100 >= micros * share);
    if (crossed === undefined || crossed <= this.#told) return undefined;
    this.#told = crossed;
    const isExceeded = crossed === 100 && !advisory;
    return {
      runId,
      ...(!isExceeded && { threshold: crossed }),
      isExceeded,
      runMicros: this.#costs.get(runId) ?? 0,
      taskMicros: spent,
      budgetMicros: micros,
      ...(cost?.source && { source: cost.source }),
    };
  }
}
