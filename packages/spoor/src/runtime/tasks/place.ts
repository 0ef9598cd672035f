import { statSync } from "node:fs";
import type { StoredRun } from "../../log/records.ts";
import type { TaskSpec } from "../specification/spec.ts";
import { prepareWorkspace, WorkspaceError } from "../workspace/index.ts";
import type { TaskContext } from "./context.ts";
import { TaskError } from "./task-error.ts";

/** Where a run works. */
export interface Place {
  path: string;
  mode: "in_place" | "worktree" | "clone";
  isShared: boolean;
  /** Whether the folder was made for this run. */
  isNew: boolean;
}

/** Decides where a run works, and makes its worktree or clone. A conversation goes on where it was. */
export async function choosePlace(
  { directory }: TaskContext,
  spec: TaskSpec,
  run_id: string,
  prior?: StoredRun,
): Promise<Place> {
  const { mode = "in_place", share: isShared = false, ...where } = spec.workspace ?? {};
  const before = prior?.workspace_path;
  const goesOn = spec.continues?.mode === "resume" || spec.continues?.mode === "continue";
  if (mode !== "in_place" && goesOn && before !== undefined && isFolder(before))
    return { path: before, mode, isShared, isNew: false };
  try {
    const { path } = await prepareWorkspace({ mode, ...where }, run_id, directory);
    return { path, mode, isShared, isNew: mode !== "in_place" };
  } catch (error) {
    throw asTaskError(error);
  }
}

/** The errors of workspaces in the words of tasks. */
export function asTaskError(error: unknown): unknown {
  if (!(error instanceof WorkspaceError)) return error;
  const { code, message, holder } = error;
  return new TaskError(code === "workspace_busy" ? code : "invalid", message, holder && { ...holder }, {
    cause: error,
  });
}

const isFolder = (folder: string): boolean => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
