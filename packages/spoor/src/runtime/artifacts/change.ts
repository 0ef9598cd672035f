import { randomBytes } from "node:crypto";
import { realpath } from "node:fs/promises";
import type { Log } from "../../log/log.ts";
import type { StoredRun } from "../../log/records.ts";
import { createRedactor } from "../redaction/index.ts";
import { ownWorkerId } from "../worker.ts";
import { readBeneath } from "./beneath.ts";
import { type Asked, changeEvents } from "./change-events.ts";
import { ArtifactError } from "./errors.ts";
import { clearPending, commitDone, commitPending, type Pending } from "./journal.ts";
import { pendingFile } from "./pending-file.ts";
import { type Choice, conflictError, type PatchAction, planChange } from "./plan.ts";
import { isSecret, readBlob, revisionOf, storeBlob } from "./store.ts";
import {
  changedSince,
  missingFolders,
  type PlannedWrite,
  removeTemporaries,
  replaceFiles,
  type StepListener,
  temporaryName,
  writeTemporaries,
} from "./write-files.ts";

/** Where patches and their files are. */
export interface ChangeContext {
  log: Log;
  /** The data directory. */
  directory: string;
  now?: () => number;
  /** Called before each step. Tests end the process there. */
  onStep?: StepListener | undefined;
}

export interface ChangeRequest extends Asked {
  run: StoredRun;
  action: PatchAction;
  choices: readonly Choice[];
  /** Another folder than the run's own. The status of the patches stays then, and no event is written. */
  to?: string;
}

/**
 * Applies or reverts patches: all of them or none. The files are compared first. Then the intent is committed, the new
 * contents are written beside the files and synced, all files are replaced, and the events are committed.
 *
 * @throws {ArtifactError} Nothing was written then.
 */
export async function changePatches(context: ChangeContext, request: ChangeRequest): Promise<void> {
  const { log, directory, now = Date.now, onStep } = context;
  const { run, action, choices, to } = request;
  const root = await rootOf(run, to);
  const plan = await planChange(action, choices, {
    read: (path) => readBeneath(root, path),
    load: (sha256) => readBlob(log, directory, sha256),
    elsewhere: to !== undefined,
  });
  const redactor = createRedactor();
  const inputs = { directory, run, redact: redactor.redact, now: now() };
  const { drafts, effects } =
    to === undefined ? await changeEvents(inputs, action, plan.steps, request) : { drafts: [], effects: [] };
  const writes: PlannedWrite[] = plan.edits.map((edit) => ({ ...edit, temporary: temporaryName() }));
  const secrets = new Set(
    choices
      .filter(({ row }) => isSecret(directory, [row.base_revision, row.result_revision]))
      .map(({ row }) => row.path),
  );
  for (const { path, after } of writes) {
    // Whoever finishes this after a crash takes the content from there.
    if (after) effects.push(...(await storeBlob(directory, after.bytes, { secret: secrets.has(path) })).effects);
  }
  const rows = choices.map(({ row }) => row);
  const pending: Pending = {
    ...{ id: `patch_${randomBytes(8).toString("hex")}`, worker: ownWorkerId(), action, run_id: run.run_id, root },
    artifact_ids: rows.map(({ artifact_id }) => artifact_id),
    files: writes.map(pendingFile),
    folders: await missingFolders(root, writes),
    drafts,
    ...(request.request && { request: request.request }),
  };
  onStep?.("intent");
  await commitPending(log, pending, rows, effects);
  try {
    await writeTemporaries(root, writes, () => {}, onStep);
    onStep?.("check");
    const changed = await changedSince(root, writes);
    if (changed.length > 0) {
      const conflicts = changed.map(({ path, before }) => ({
        ...{ path, expected: pending.files.find((file) => file.path === path)?.before?.revision },
        ...(before && { actual: revisionOf(before.bytes) }),
      }));
      throw conflictError(action, conflicts.map(withoutUndefined));
    }
  } catch (error) {
    await removeTemporaries(root, writes, pending.folders);
    await clearPending(log, pending);
    throw error;
  }
  await replaceFiles(root, writes, onStep);
  onStep?.("events");
  await commitDone(log, pending, redactor, now());
}

/** The folder that a run's patches are about. */
export async function rootOf(run: StoredRun, to = run.workspace_path): Promise<string> {
  if (to === undefined) throw new ArtifactError("missing", `${run.run_id} has no workspace.`);
  return realpath(to).catch(() => {
    throw new ArtifactError("missing", `The folder ${to} does not exist any more.`);
  });
}

const withoutUndefined = <T extends { expected?: string | undefined }>({ expected, ...rest }: T) => ({
  ...rest,
  ...(expected !== undefined && { expected }),
});
