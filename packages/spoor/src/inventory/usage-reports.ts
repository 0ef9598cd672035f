import type { Adapter, Dialect } from "../agents/machine.ts";
import { dialectsWithUsage } from "./usage-reports.gen.ts";

/**
 * Whether the agent reports tokens or costs in this dialect: as its adapter says, or as runs of the real agent have shown.
 * Only then can a budget be held.
 */
export function reportsUsage({ name }: Pick<Adapter, "name">, dialect: Dialect): boolean {
  return (
    dialect.reportsUsage ?? (dialect.tokensOnly === true || dialectsWithUsage[name]?.includes(dialect.name) === true)
  );
}
