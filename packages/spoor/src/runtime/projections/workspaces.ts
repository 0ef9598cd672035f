import { isTerminalRunType } from "@spoor/protocol/write";
import type { Projection } from "./projection.ts";

/** The table `workspaces`: the folders in which runs of tasks work, until they are over. */
export const projectWorkspaces: Projection = ({ type, data }, { run_id, workspace_path }) => {
  const { workspace_path: path, workspace_mode: mode, workspace_shared } = data;
  // A subagent works in the folder that its parent holds.
  const isHeld = data.spec !== undefined && data.parent_run_id === undefined;
  if (type === "run.created" && isHeld && typeof path === "string") {
    const shared = workspace_shared === true ? 1 : 0;
    const row = { path: workspaceKey(path, run_id), run_id, mode: typeof mode === "string" ? mode : null, shared };
    return [{ do: "insert", table: "workspaces", row, ifExists: "keep" }];
  }
  if (!isTerminalRunType(type) || workspace_path === undefined) return [];
  return [{ do: "delete", table: "workspaces", key: workspaceKey(workspace_path, run_id) }];
};

/** The key of the row of a run: several runs may share a folder, so each has a row of its own. */
export const workspaceKey = (path: string, run_id: string): string => `${path}\n#${run_id}`;
