import type { Log } from "../../log/log.ts";
import type { StoredRun } from "../../log/records.ts";
import type { SettledChange } from "../artifacts/file-changes.ts";

/**
 * Settles the changes of files that a lost process of our loop left half done, and returns what the model is told about
 * their calls. Call it when the run is claimed, so that its former worker does nothing more.
 */
export async function settleChanges(
  { directory }: Pick<Log, "directory">,
  { run_id, kind }: Pick<StoredRun, "run_id" | "kind">,
): Promise<ReadonlyMap<string, string>> {
  if (directory === undefined || kind !== "agent_loop") return new Map();
  const { settleCallChanges } = await import("../artifacts/file-changes.ts");
  const settled = await settleCallChanges(directory, run_id);
  return new Map(settled.map((change) => [change.call_id, textOf(change)]));
}

function textOf({ outcome, paths }: SettledChange): string {
  const names = paths.join(", ");
  if (outcome === "finished") return `Interrupted, but all of its changes are made: ${names}.`;
  if (outcome === "undone")
    return "Interrupted, and undone: no file was changed. Propose it again if it is still needed.";
  return `Interrupted in the middle, and somebody else changed files meanwhile. Read ${names} before you go on.`;
}
