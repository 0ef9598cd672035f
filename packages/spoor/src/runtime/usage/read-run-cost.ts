import type { RunCostRecord } from "@spoor/protocol/api";
import type { Log } from "../../log/log.ts";
import type { StoredRun } from "../../log/records.ts";
import { taskCost } from "../budgets/task-cost.ts";
import { UsageFold, type UsageTotal } from "./fold-usage.ts";
import { readSteps } from "./read-steps.ts";
import { runsOf } from "./read-usage.ts";

/**
 * What a run has cost: by turn, in all, and together with the other runs of its task and of its conversation. Only the
 * events of this run are read.
 *
 * @example
 * const run = await log.run(run_id);
 * if (run) console.log((await readRunCost(log, run)).task.cost_micros_usd / 1e6);
 */
export async function readRunCost(log: Log, run: StoredRun): Promise<RunCostRecord> {
  const { run_id, task_id, session_id, cost_micros_usd } = run;
  const steps = await readSteps(log, run_id);
  const own = totalOf([run]);
  const task = await usageOf(log, { task_id });
  const session = session_id === undefined ? undefined : await usageOf(log, { session_id });
  return {
    run_id,
    turns: steps.flatMap(({ kind, turn_index, name, cost_micros_usd, cost_source }) =>
      kind !== "model_call" || cost_micros_usd === undefined || turn_index === undefined
        ? []
        : [{ turn_index, ...(name && { model: name }), cost_micros_usd, ...(cost_source && { cost_source }) }],
    ),
    ...(cost_micros_usd !== undefined && { run: { cost_micros_usd, ...sourceOf(own) } }),
    task: {
      task_id,
      cost_micros_usd: (await taskCost(log, task_id)).micros,
      ...sourceOf(task),
      runs: task.runs,
      ...(await budgetOf(log, task_id)),
    },
    ...(session_id !== undefined &&
      session && {
        session: { session_id, cost_micros_usd: session.cost_micros_usd, ...sourceOf(session), runs: session.runs },
      }),
  };
}

async function budgetOf(log: Log, task_id: string): Promise<{ budget_micros_usd?: number }> {
  const spec = (await log.rows.find("tasks", task_id))?.spec;
  const { budget_micros_usd } = typeof spec === "string" ? (JSON.parse(spec) as Record<string, unknown>) : {};
  return typeof budget_micros_usd === "number" ? { budget_micros_usd } : {};
}

const sourceOf = ({ cost_source }: UsageTotal) => (cost_source ? { cost_source } : {});

function totalOf(runs: readonly StoredRun[]): UsageTotal {
  const fold = new UsageFold([]);
  for (const run of runs) fold.add(run);
  return fold.total;
}

async function usageOf(log: Log, options: { task_id?: string; session_id?: string }): Promise<UsageTotal> {
  const runs: StoredRun[] = [];
  for await (const run of runsOf(log, options)) runs.push(run);
  return totalOf(runs);
}
