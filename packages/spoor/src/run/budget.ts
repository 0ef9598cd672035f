import type { Adapter, Dialect } from "../agents/machine.ts";
import { CapabilityError } from "../failures/errors.ts";
import { reportsUsage } from "../inventory/usage-reports.ts";
import { BudgetMeter } from "./budget-meter.ts";

/** The meter of a budget in US dollars. */
export const createMeter = (usd: number, advisory: boolean): BudgetMeter =>
  new BudgetMeter({ micros: Math.round(usd * 1e6), advisory });

/** Throws if the dialect reports neither tokens nor costs, so that nobody can know when a budget is spent. */
export function requireUsage(adapter: Adapter, dialect: Dialect): void {
  if (reportsUsage(adapter, dialect)) return;
  throw new CapabilityError(
    adapter.name,
    "budget",
    `A budget cannot be held for ${adapter.name}: it reports neither tokens nor costs in its dialect ${dialect.name}. ` +
      "Run it without a budget, or use --budget-advisory (`budgetAdvisory`).",
  );
}
