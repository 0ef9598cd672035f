import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import type { Log } from "../../log/log.ts";
import { isOver } from "../../log/records.ts";
import { removeWorkspace, workspaceOf } from "./modes.ts";
import { SHADOWS } from "./places.ts";

/**
 * Removes worktrees and clones that nobody needs any more. One is kept while its run is not over, is the newest of its task, or
 * has patches that were proposed and not applied. Returns the runs whose workspaces were removed.
 */
export async function removeOldWorkspaces(log: Log, directory: string): Promise<string[]> {
  const folder = path.dirname(workspaceOf(directory, "run"));
  if (!existsSync(folder)) return [];
  const removed: string[] = [];
  for (const run_id of readdirSync(folder)) {
    if (!run_id.startsWith("run_") || (await isNeeded(log, run_id))) continue;
    const own = path.join(folder, run_id);
    const isWorktree = existsSync(path.join(own, ".git")) && !existsSync(path.join(own, ".git", "HEAD"));
    await removeWorkspace({ mode: isWorktree ? "worktree" : "clone", path: own }, directory);
    removed.push(run_id);
  }
  return removed;
}

/** A workspace in which nothing ran for this long loses its shadow. The next run makes a new one. */
const SHADOW_MS = 30 * 24 * 60 * 60 * 1000;

/** Removes the shadows of workspaces that were not used for long. They are a cache: patches keep their own bytes. */
export async function removeOldShadows(directory: string, now: number): Promise<string[]> {
  const folder = path.join(directory, SHADOWS);
  const isOld = (name: string) => now - lastUse(path.join(folder, name)) > SHADOW_MS;
  const old = existsSync(folder) ? readdirSync(folder).filter(isOld) : [];
  for (const name of old) rmSync(path.join(folder, name), { recursive: true, force: true });
  return old;
}

/** Every run replaces the index at its end. */
function lastUse(store: string): number {
  const times = [store, path.join(store, "shadow.git"), path.join(store, "scan")].map(
    (place) => statSync(place, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return Math.max(...times);
}

async function isNeeded(log: Log, run_id: string): Promise<boolean> {
  const run = await log.run(run_id);
  if (!run) return false;
  if (!isOver(run)) return true;
  const { runs } = await log.runs({ task_id: run.task_id, limit: 1 });
  if (runs[0]?.run_id === run_id) return true;
  const { rows } = await log.rows.list("artifacts", { where: { run_id, status: "proposed" }, limit: 1 });
  return rows.length > 0;
}
