import { isTerminalRunType } from "@spoor/protocol/write";
import type { Projection } from "./projection.ts";

/** The table `workspaces`: the folders that runs of tasks keep to themselves until they are over. */
export const projectWorkspaces: Projection = ({ type, data }, { run_id, workspace_path }) => {
  const { workspace_path: path, workspace_mode: mode, workspace_shared } = data;
  if (type === "run.created" && data.spec !== undefined && typeof path === "string" && workspace_shared !== true) {
    const row = { path, run_id, mode: typeof mode === "string" ? mode : null, shared: 0 };
    return [{ do: "insert", table: "workspaces", row }];
  }
  if (!isTerminalRunType(type) || workspace_path === undefined) return [];
  return [{ do: "delete", table: "workspaces", key: workspace_path, when: { run_id }, ifDiffers: "keep" }];
};
