import type { Log } from "../../log/log.ts";
import type { StoredRun } from "../../log/records.ts";
import { specOf } from "../specification/spec-of.ts";
import { ArtifactError } from "./errors.ts";

/**
 * The folder from which the worktree or the clone of a run was made.
 *
 * @throws {ArtifactError} `invalid` if the run worked in place, or its folder is not known.
 */
export async function originOf(log: Log, run: StoredRun): Promise<string> {
  const { mode = "in_place", path } = (await specOf(log, run))?.workspace ?? {};
  if (mode === "in_place")
    throw new ArtifactError("invalid", `${run.run_id} worked in place: its changes are in its folder already.`);
  if (path === undefined)
    throw new ArtifactError("invalid", `${run.run_id} was not made from a folder of this machine.`);
  return path;
}
