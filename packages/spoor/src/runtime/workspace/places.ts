import { existsSync } from "node:fs";
import path from "node:path";

/** The folder in the data directory with the worktrees and clones that Spoor made, one per run. */
export const WORKTREES = "worktrees";
/** The folder in the data directory with the snapshots of workspaces. */
export const SHADOWS = "workspaces";

/** Whether Spoor ever made a workspace, or snapshots of one, in this data directory. */
export const hasWorkspaces = (directory: string): boolean =>
  [WORKTREES, SHADOWS].some((name) => existsSync(path.join(directory, name)));
