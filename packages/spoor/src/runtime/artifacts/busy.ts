import { realpath } from "node:fs/promises";
import path from "node:path";
import type { Log } from "../../log/log.ts";
import { isOver, type StoredRun } from "../../log/records.ts";
import { heldWorkspaces } from "../workspace/hold.ts";
import { ArtifactError } from "./errors.ts";

/**
 * Refuses to change files of a workspace in which a run is active: the agent would not know of the change, and the change
 * would be taken for its own.
 *
 * @throws {ArtifactError} `workspace_busy`
 */
export async function refuseBusy(log: Log, run: StoredRun, root: string): Promise<void> {
  if (!isOver(run)) throw busy(run, root);
  await refuseActive(log, root);
  for await (const { folder, run_id } of heldWorkspaces(log.rows)) {
    if (!(await overlaps(folder, root))) continue;
    const holder = await log.run(run_id);
    if (holder && !isOver(holder)) throw busy(holder, root);
  }
}

/** Runs of `spoor run` hold no folder, so their own place counts. */
async function refuseActive(log: Log, root: string): Promise<void> {
  for (const status of ["running", "awaiting_approval"] as const) {
    for (let before: string | undefined, more = true; more; ) {
      const page = await log.runs({ status, limit: 200, ...(before !== undefined && { before }) });
      for (const run of page.runs) {
        const { workspace_path } = run;
        if (workspace_path !== undefined && (await overlaps(workspace_path, root))) throw busy(run, root);
      }
      before = page.runs.at(-1)?.run_id;
      more = page.more && before !== undefined;
    }
  }
}

const busy = ({ run_id, status }: StoredRun, root: string): ArtifactError =>
  new ArtifactError(
    "workspace_busy",
    `${run_id} is ${status} in ${root}, so its files are not changed now. Wait until it has ended, or cancel it.`,
  );

async function overlaps(held: string, root: string): Promise<boolean> {
  const real = await realpath(held).catch(() => held);
  return isInside(real, root) || isInside(root, real);
}

function isInside(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative === "" || (!path.isAbsolute(relative) && relative.split(path.sep)[0] !== "..");
}
