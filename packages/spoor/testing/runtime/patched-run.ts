import { prefixed } from "@spoor/protocol/ids";
import type { Log } from "../../src/log/log.ts";
import { type ChangedFile, patchesOfCall } from "../../src/runtime/artifacts/index.ts";
import { RunFactsFold } from "../../src/runtime/projections/run-facts.ts";
import { newRunId } from "./recorded-run.ts";

export type Change = Pick<ChangedFile, "path" | "before" | "after"> & Partial<ChangedFile>;

export interface PatchedRun {
  run_id: string;
  task_id: string;
  artifact_ids: string[];
}

/** Records a run in `root` whose one call made these changes, and ends it. The files are not written. */
export async function patchedRun(
  log: Log,
  directory: string,
  root: string,
  changes: readonly Change[],
  { isOver = true } = {},
): Promise<PatchedRun> {
  const [run_id, task_id, call] = [prefixed("run", newRunId()), prefixed("task", newRunId()), "call_1"];
  const at = Date.now();
  const own = { run_id, task_id, turn_index: 1, group_id: call, mode: 0o100644, tool_call_ids: [call] };
  const files = changes.map((change): ChangedFile => ({ ...own, attribution: "call", ...change }));
  const made = await patchesOfCall(directory, { files, tool_name: "Write", at });
  const tool = { tool_call_id: call, tool_name: "Write", kind: "edit", turn_index: 1 };
  const session = { native_session_id: "s-1", turn_count: 1 };
  const events: [type: string, data: object][] = [
    ["run.created", { kind: "agent", agent: "claude", status: "queued", workspace_path: root }],
    ["run.started", { worker_id: "w" }],
    ["session.started", { native_session_id: "s-1", resumed: false }],
    ["turn.started", { turn_index: 1 }],
    ["assistant.tool_call_started", { turn_index: 1, tool_call_id: call, tool_name: "Write", kind: "edit" }],
    ["assistant.tool_call_proposed", { turn_index: 1, tool_call_id: call, tool_name: "Write", input: {} }],
    ["tool.invoked", tool],
    ["tool.completed", { ...tool, output: "ok", duration_ms: 1 }],
    ...made.drafts.map(({ type, data }): [string, object] => [type, data]),
    ["run.checkpoint_saved", { checkpoint_id: `ckpt_${run_id.slice(4)}` }],
    ["turn.completed", { turn_index: 1, duration_ms: 1, tool_calls: 1 }],
  ];
  if (isOver) events.push(["session.ended", session], ["run.finished", { final_status: "completed", turns: 1 }]);
  const drafts = events.map(([type, data]) => ({ type, timestamp: at, json: JSON.stringify(data) }));
  await log.append([
    {
      ...{ run_id, epoch: 1, create: { task_id, agent: "claude", kind: "agent" } },
      drafts,
      facts: {
        ...new RunFactsFold({ kind: "agent" }).add(drafts),
        ...{ status: isOver ? "completed" : "running", workspace_path: root, ...(isOver && { ended_at: at }) },
      },
      effects: made.effects,
    },
  ]);
  return { run_id, task_id, artifact_ids: made.artifact_ids };
}
