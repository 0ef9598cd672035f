import type { Log } from "../../log/log.ts";
import { createRedactor } from "../redaction/index.ts";
import { createWorkerCheck } from "../worker.ts";
import { readBeneath } from "./beneath.ts";
import type { ChangeContext } from "./change.ts";
import { updates } from "./change-events.ts";
import { appendEvents, clearing, clearPending, commitDone, type Pending } from "./journal.ts";
import { type PendingFile, placeOf } from "./pending-file.ts";
import type { ArtifactRow } from "./record.ts";
import { hashOfRevision, readBlob } from "./store.ts";
import { type PlannedWrite, removeTemporaries, replaceFiles, writeTemporaries } from "./write-files.ts";

/** What became of a change that was cut off. */
export interface Recovered {
  id: string;
  run_id: string;
  artifact_ids: readonly string[];
  outcome: "undone" | "finished" | "conflict";
}

/**
 * Settles changes of files whose process died in the middle: undone if no file was replaced yet, otherwise finished. If a
 * file is neither as it was nor as it should be, the patches get the status `conflict`, and no file is touched. Changes of
 * processes that live are left alone.
 *
 * @example
 * for (const { run_id, outcome } of await recoverPending(log, "./runs")) console.log(run_id, outcome);
 */
export async function recoverPending(
  log: Log,
  directory: string,
  { now = Date.now, onStep }: Pick<ChangeContext, "now" | "onStep"> = {},
): Promise<Recovered[]> {
  const recovered: Recovered[] = [];
  const isGone = createWorkerCheck();
  for (const pending of await listPending(log)) {
    if (isGone(pending.worker) === false) continue;
    const outcome = await settle({ log, directory, now, onStep }, pending);
    recovered.push({ id: pending.id, run_id: pending.run_id, artifact_ids: pending.artifact_ids, outcome });
  }
  return recovered;
}

/** The changes that are under way or were cut off. */
export async function listPending(log: Log): Promise<Pending[]> {
  const found: Pending[] = [];
  for (let after: string | undefined, more = true; more; ) {
    // Null comes first in this order, so the rows with an intent come first when it is reversed.
    const page = await log.rows.list("artifacts", {
      ...{ order: "pending", descending: true, limit: 100 },
      ...(after !== undefined && { after }),
    });
    for (const { pending } of page.rows) {
      if (pending === null) return found;
      const intent = JSON.parse(pending) as Pending | { lead: string };
      if ("files" in intent) found.push(intent);
    }
    after = page.rows.at(-1)?.artifact_id;
    more = page.more && after !== undefined;
  }
  return found;
}

async function settle(
  context: Required<Pick<ChangeContext, "now">> & ChangeContext,
  pending: Pending,
): Promise<Recovered["outcome"]> {
  const { log, directory, now, onStep } = context;
  const { root, files, folders } = pending;
  const states = await Promise.all(files.map((file) => placeOf(root, file)));
  const redactor = createRedactor();
  if (states.includes("other")) {
    await removeTemporaries(root, files, folders).catch(() => {});
    await markConflict(log, pending, now());
    return "conflict";
  }
  if (states.every((state) => state === "before") && files.length > 0) {
    await removeTemporaries(root, files, folders);
    await clearPending(log, pending);
    return "undone";
  }
  const rest = files.filter((_, index) => states[index] === "before");
  await removeTemporaries(root, rest, []);
  const writes = await Promise.all(rest.map((file) => writeOf(log, directory, root, file)));
  await writeTemporaries(root, writes, () => {}, onStep);
  await replaceFiles(root, writes, onStep);
  onStep?.("events");
  await commitDone(log, pending, redactor, now());
  return "finished";
}

async function writeOf(log: Log, directory: string, root: string, file: PendingFile): Promise<PlannedWrite> {
  const { path, temporary, after } = file;
  const bytes = after && (await readBlob(log, directory, hashOfRevision(after.revision)));
  const before = await readBeneath(root, path);
  return { path, temporary, before, after: bytes && after && { bytes, mode: after.mode } };
}

async function markConflict(log: Log, pending: Pending, now: number): Promise<void> {
  const at = new Date(now).toISOString();
  const found = await Promise.all(pending.artifact_ids.map((id) => log.rows.find("artifacts", id)));
  const rows = found.filter((row): row is ArtifactRow => row !== undefined);
  const asked = {
    by: "recovery",
    reason: "The change was cut off, and a file is neither as it was nor as it should be.",
  };
  const drafts = rows.flatMap((row) => updates(row, { status: "conflict" }, asked, at));
  await appendEvents(log, pending.run_id, drafts, { redactor: createRedactor(), now, effects: clearing(pending) });
}
