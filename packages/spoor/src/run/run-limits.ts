import type { AgentEvent } from "@spoor/protocol";
import { type Failure, internalError } from "../agents/kit/failures.ts";
import type { BudgetMeter, BudgetNotice } from "./budget-meter.ts";

export interface Limits {
  /** Milliseconds for the whole run; 0 is no limit. Each retry starts again. */
  timeout?: number;
  /** Milliseconds without any event; 0 is no limit. */
  inactivityTimeout?: number;
  maxTurns?: number;
  budget?: BudgetMeter;
}

/** What the limits of a run need to know and do. */
export interface LimitedRun {
  /** Whether the agent is silent because it is paused or waits for an answer. */
  isWaiting(): boolean;
  /** `gently`: the agent is asked to stop before its process is ended. */
  onExceeded(failure: Failure, how?: "gently"): void;
  /** A part of the budget is spent. */
  onBudget(notice: BudgetNotice): void;
}

/** Calls back when a run exceeds a time limit, its number of turns or its budget. */
export class RunLimits {
  readonly #limits: Limits;
  readonly #run: LimitedRun;
  #runTimer: NodeJS.Timeout | undefined;
  #inactivityTimer: NodeJS.Timeout | undefined;
  #turns = 0;
  /** Whether tokens were reported, and whether their cost is known. */
  #hasUsage = false;
  #hasCost = false;

  constructor(limits: Limits, run: LimitedRun) {
    this.#limits = limits;
    this.#run = run;
    this.restart();
  }

  restart(): void {
    this.stop();
    const { timeout, inactivityTimeout } = this.#limits;
    if (timeout) this.#runTimer = setTimeout(() => this.#run.onExceeded({ type: "timeout", kind: "run" }), timeout);
    if (inactivityTimeout) this.#inactivityTimer = setTimeout(() => this.#onInactive(), inactivityTimeout);
  }

  /** Any event of the run or of a subagent. */
  noteActivity({ type }: AgentEvent): void {
    this.#inactivityTimer?.refresh();
    if (type === "token_usage") this.#hasUsage = true;
  }

  countTurn(): void {
    this.#turns += 1;
    const { maxTurns } = this.#limits;
    if (maxTurns !== undefined && this.#turns > maxTurns) this.#run.onExceeded({ type: "turn_limit", maxTurns });
    if (this.#hasUsage && !this.#hasCost) this.#onUnpriced();
  }

  /** The run or a subagent has cost something. Without an event: what earlier runs of the task have cost is known now. */
  countCost(runId: string, event?: Extract<AgentEvent, { type: "cost" }>): void {
    this.#hasCost ||= event !== undefined;
    const notice = this.#limits.budget?.tick(runId, event?.cost);
    if (!notice) return;
    this.#run.onBudget(notice);
    if (notice.isExceeded) this.#run.onExceeded(budgetFailure(notice), "gently");
  }

  stop(): void {
    clearTimeout(this.#runTimer);
    clearTimeout(this.#inactivityTimer);
  }

  #onInactive(): void {
    if (this.#run.isWaiting()) this.#inactivityTimer?.refresh();
    else this.#run.onExceeded({ type: "timeout", kind: "inactivity" });
  }

  /** The second turn begins, and nobody knows what the first has cost. */
  #onUnpriced(): void {
    const { budget } = this.#limits;
    if (budget && !budget.budget.advisory) this.#run.onExceeded(unpricedFailure, "gently");
  }
}

const budgetFailure = ({ budgetMicros, taskMicros }: BudgetNotice): Failure =>
  internalError(
    `The budget of ${dollars(budgetMicros)} is spent: the task has cost ${dollars(taskMicros)}.`,
    "BUDGET_EXCEEDED",
  );

const unpricedFailure: Failure = internalError(
  "The budget cannot be held, because the agent reports no cost and the price of its model is not known. " +
    "Choose another model, or use --budget-advisory (`budgetAdvisory`) to run without holding the budget.",
  "VALIDATION_ERROR",
);

/** At least two digits after the point, and as many as the amount needs. */
const dollars = (micros: number): string => `$${(micros / 1e6).toFixed(6).replace(/(\.\d\d\d*?)0+$/, "$1")}`;
