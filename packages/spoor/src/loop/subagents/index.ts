import { isOver } from "../../log/records.ts";
import type { BudgetMeter } from "../../run/budget-meter.ts";
import { activeChildrenOf } from "../../runtime/lifecycle/children.ts";
import type { Execution, Executor } from "../../runtime/queue/executor.ts";
import { childKey } from "../../runtime/tasks/child-run.ts";
import { callsOf } from "../conversation.ts";
import type { LoopRun } from "../loop-run.ts";
import type { LoopRecord } from "../record.ts";
import type { LoopTool } from "../tools/tool.ts";
import { cancelRun } from "./perform-child.ts";
import { createSubagentTool, depthOf, MAX_DEPTH } from "./subagent-tool.ts";

/**
 * Puts right what a lost process left: a subagent stops if the run that started it is over, and a run cancels the subagents
 * whose calls were ended without them.
 */
export async function settleSubagents({ execution, conversation, control }: LoopRun): Promise<void> {
  const { log, claim } = execution;
  const { parent_run_id, run_id, attempt = 1 } = claim.run;
  const parent = parent_run_id === undefined ? undefined : await log.run(parent_run_id);
  if (parent && isOver(parent)) control.abort();
  if (attempt === 1) return;
  const active = await activeChildrenOf(log, claim.run);
  const { openTurn } = conversation;
  const calls = openTurn ? callsOf(openTurn).filter(({ result }) => result === undefined) : [];
  const rows = await Promise.all(calls.map(({ id }) => log.rows.find("requests", childKey(run_id, id))));
  const wanted = rows.flatMap((row) => (row ? [(JSON.parse(row.made) as { run_id: string }).run_id] : []));
  for (const child of active) if (!wanted.includes(child.run_id)) await cancelRun(log, child.run_id, run_id);
}

/** The tool for subagents, if the run may start some. */
export async function subagentTools(
  execution: Execution,
  executor: Executor,
  {
    record,
    budget,
    requireModel,
  }: {
    record: LoopRecord;
    budget: BudgetMeter | undefined;
    requireModel(name: string): Promise<unknown>;
  },
): Promise<LoopTool[]> {
  if ((await depthOf(execution)) >= MAX_DEPTH) return [];
  const tool = createSubagentTool({
    ...{ execution, executor, requireModel },
    spend(childRunId, { cost }) {
      const notice = budget?.tick(childRunId, cost);
      if (notice) record.recorder.onBudget({ ...notice, runId: record.runId });
    },
  });
  return [tool];
}
