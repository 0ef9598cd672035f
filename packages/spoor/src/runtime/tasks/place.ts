import { realpathSync, statSync } from "node:fs";
import path from "node:path";
import type { Effect } from "../../log/effects.ts";
import type { StoredRun } from "../../log/records.ts";
import type { TaskSpec } from "../specification/spec.ts";
import type { TaskContext } from "./context.ts";
import { TaskError } from "./task-error.ts";

/** Where a run works. */
export interface Place {
  path: string;
  mode: "in_place" | "worktree" | "clone";
  isShared: boolean;
  /** The rows that keep other runs away. */
  effects: readonly Effect[];
}

/** Decides where a run works, and how it keeps the workspace to itself. */
export async function placeOf(
  _context: TaskContext,
  spec: TaskSpec,
  _run_id: string,
  _prior?: StoredRun,
): Promise<Place> {
  const { mode = "in_place", path: given = process.cwd(), share = false } = spec.workspace ?? {};
  const folder = path.resolve(given);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new TaskError("invalid", `workspace.path must be a folder that exists, not ${folder}.`);
  const real = realpathSync(folder);
  return { path: real, mode, isShared: share, effects: [] };
}
