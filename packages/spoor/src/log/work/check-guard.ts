import { factsOf, type RunRow } from "../chunks/run-row.ts";
import { LogError } from "../errors.ts";
import type { FactGuard } from "../records.ts";

/** Throws `conflict` if the run's row does not have these facts. An absent fact equals null, false and 0. */
export function checkGuard(row: RunRow, when: FactGuard): void {
  const { run_id, task_id, status, native_session_id, epoch } = row;
  const facts: Record<string, unknown> = { ...factsOf(row), status, native_session_id };
  const differing = Object.entries(when).find(([name, value]) => normal(facts[name]) !== normal(value));
  if (!differing) return;
  const [name, value] = differing;
  throw new LogError(
    "conflict",
    `The run ${run_id} has ${name} ${shown(facts[name])}, and not ${shown(value)} as was expected.`,
    { table: "runs", row: { run_id, task_id, epoch, ...facts } },
  );
}

const normal = (value: unknown): string => JSON.stringify(value || null);
const shown = (value: unknown): string => JSON.stringify(value ?? null);
