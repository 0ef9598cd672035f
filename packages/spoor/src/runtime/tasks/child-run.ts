import type { Effect } from "../../log/effects.ts";
import type { StoredRun } from "../../log/records.ts";
import { HEAD_START_MS } from "../lease-times.ts";
import type { TaskSpec } from "../specification/spec.ts";
import type { TaskContext } from "./context.ts";
import { makeRun } from "./new-run.ts";
import { once } from "./requests.ts";

/** A run of a subagent to be made. */
export interface NewChildRun {
  parent: StoredRun;
  /** The call of the parent that starts it. One call starts one run, however often it is asked for. */
  tool_call_id: string;
  spec: TaskSpec;
}

/** The key of the request that makes the run of a subagent. */
export const childKey = (parent_run_id: string, tool_call_id: string): string =>
  `subagent:${parent_run_id}:${tool_call_id}`;

/**
 * Makes the run of a subagent, or finds the one that this call made before: it belongs to the task of its parent and works in
 * its folder. Other workers leave it to the parent's process for a moment.
 */
export async function startChildRun(
  context: TaskContext,
  { parent, tool_call_id, spec }: NewChildRun,
): Promise<string> {
  const { task_id } = parent;
  const request = { key: childKey(parent.run_id, tool_call_id), body: { tool_call_id } };
  const { made } = await once(context.log, request, async (keyed) => {
    const effects = (run_id: string): Effect[] => keyed({ task_id, run_id });
    const { run_id } = await makeRun(context, { task_id, spec, parent, effects, headStartMs: HEAD_START_MS });
    return { task_id, run_id };
  });
  return made.run_id as string;
}
