import type { Effect } from "../../log/effects.ts";
import { LogError } from "../../log/errors.ts";
import type { Log } from "../../log/log.ts";
import { artifactEffects } from "../projections/artifacts.ts";
import { draftOf } from "../redaction/drafts.ts";
import type { Redactor } from "../redaction/index.ts";
import { holdWorkspace, releaseEffects } from "../workspace/hold.ts";
import { WorkspaceError } from "../workspace/workspace-error.ts";
import type { ArtifactDraft } from "./create.ts";
import { ArtifactError } from "./errors.ts";
import type { PendingFile } from "./pending-file.ts";
import type { PatchAction } from "./plan.ts";
import type { ArtifactRow } from "./record.ts";

/**
 * What a change of files is about to do. It is stored in the column `pending` of its first patch before the first file is
 * written, so that whoever finds it after a crash can finish or undo the change. The other patches name the first one.
 */
export interface Pending {
  id: string;
  /** The process that does it. */
  worker: string;
  action: PatchAction;
  run_id: string;
  artifact_ids: readonly string[];
  root: string;
  files: readonly PendingFile[];
  /** Folders that did not exist before. */
  folders: readonly string[];
  /** The events that tell of the change when it is done. */
  drafts: readonly ArtifactDraft[];
  /** The request that asked for it. It is stored when the change is done. */
  request?: RequestKey;
}

/** The idempotency key of a request, and the hash of what it asks for. */
export interface RequestKey {
  key: string;
  body_hash: string;
}

/** Commits the intent, and the contents it needs. Refused if one of the patches changed since it was read. */
export async function commitPending(
  log: Log,
  pending: Pending,
  rows: readonly ArtifactRow[],
  effects: readonly Effect[],
): Promise<void> {
  const claims = rows.map((row, index): Effect => {
    const { artifact_id, status, applied_hunks } = row;
    const when = { pending: null, status, applied_hunks };
    const set = { pending: pendingText(pending, index) };
    return { do: "update", table: "artifacts", key: artifact_id, when, set };
  });
  const { id, root } = pending;
  try {
    // Nobody else changes files there, and no run starts there, until the change is done.
    await holdWorkspace(log.rows, { run_id: id, path: root, mode: "patch" }, (held) =>
      log.rows.write([...effects, ...claims, ...held]),
    );
  } catch (error) {
    if (error instanceof WorkspaceError) throw new ArtifactError("workspace_busy", error.message);
    if (error instanceof LogError && error.code === "conflict") throw changedMeanwhile(error);
    throw error;
  }
}

/** Appends the events of a change that is done, and clears its intent in the same commit. */
export async function commitDone(log: Log, pending: Pending, redactor: Redactor, now: number): Promise<void> {
  if (pending.drafts.length === 0) return clearPending(log, pending);
  const effects = [...clearing(pending), ...requestEffects(pending.request, pending.artifact_ids, now)];
  await appendEvents(log, pending.run_id, pending.drafts, { redactor, now, effects });
}

/** Remembers that a request was carried out. */
export function requestEffects(
  request: RequestKey | undefined,
  artifact_ids: readonly string[],
  created_at: number,
): Effect[] {
  if (!request) return [];
  const row = { ...request, made: JSON.stringify({ artifact_ids }), created_at };
  return [{ do: "insert", table: "requests", row, ifExists: "keep" }];
}

/** Gives up an intent of which nothing was written. */
export const clearPending = (log: Log, pending: Pending): Promise<void> => log.rows.write(clearing(pending));

/**
 * Appends events of ours under the run's present epoch. So they are accepted beside those of a live producer, and never take
 * the run away from it.
 */
export async function appendEvents(
  log: Log,
  run_id: string,
  drafts: readonly ArtifactDraft[],
  { redactor, now, effects = [] }: { redactor: Redactor; now: number; effects?: readonly Effect[] },
): Promise<void> {
  const run = await log.run(run_id);
  if (!run) throw new ArtifactError("missing", `The run ${run_id} is not stored any more.`);
  const projected = drafts.flatMap((draft) => artifactEffects(draft, run));
  for (let attempt = 0; ; attempt++) {
    const epoch = await presentEpoch(log, run_id);
    const append = {
      run_id,
      epoch,
      drafts: drafts.map(({ type, data }) => draftOf(type, now, data, redactor)),
      effects: [...effects, ...projected],
    };
    try {
      await log.append([append]);
      return;
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      if (error.code === "conflict") throw changedMeanwhile(error);
      // Somebody took over the run between the two appends.
      if (error.code !== "fenced" || attempt >= 5) throw error;
    }
  }
}

function changedMeanwhile({ row }: LogError): ArtifactError {
  const key = String(row?.artifact_id ?? "The patch");
  return new ArtifactError("wrong_status", `${key} is being changed by somebody else, or was changed just now.`);
}

/** An append without events changes nothing, and its receipt names the epoch. */
async function presentEpoch(log: Log, run_id: string): Promise<number> {
  const [receipt] = await log.append([{ run_id, drafts: [] }]);
  return receipt?.epoch ?? 1;
}

/** Clears the intent of every patch. A conflict if somebody else did so already. */
export const clearing = (pending: Pending): Effect[] => [
  ...pending.artifact_ids.map((key, index): Effect => {
    const when = { pending: pendingText(pending, index) };
    return { do: "update", table: "artifacts", key, when, set: { pending: null } };
  }),
  ...releaseEffects({ run_id: pending.id, path: pending.root }),
];

/** The column of the first patch holds everything; those of the others name the first. */
function pendingText(pending: Pending, index: number): string {
  return JSON.stringify(index === 0 ? pending : { id: pending.id, lead: pending.artifact_ids[0] });
}
