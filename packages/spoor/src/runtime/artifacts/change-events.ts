import type { Effect } from "../../log/effects.ts";
import type { StoredRun } from "../../log/records.ts";
import { changeKind } from "./call-events.ts";
import { type ArtifactDraft, patchArtifact } from "./create.ts";
import type { RequestKey } from "./journal.ts";
import type { PatchAction, PatchStep } from "./plan.ts";
import { type ArtifactRow, appliedHunks } from "./record.ts";
import { isSecret } from "./store.ts";

/** Who asked for a change, and why. */
export interface Asked {
  by: string;
  reason?: string;
  /** The request, if it may be sent again. */
  request?: RequestKey;
}

/** What making events needs to know. */
export interface EventInputs {
  directory: string;
  run: StoredRun;
  redact(text: string): string;
  /** Epoch milliseconds. */
  now: number;
}

/**
 * The events of patches that a person applied or reverted, in their order. Reverting makes the inverse of each patch, whose
 * contents are stored now: `effects` make them durable.
 */
export async function changeEvents(
  inputs: EventInputs,
  action: PatchAction,
  steps: readonly PatchStep[],
  asked: Asked,
): Promise<{ drafts: ArtifactDraft[]; effects: Effect[] }> {
  const at = new Date(inputs.now).toISOString();
  const drafts: ArtifactDraft[] = steps.map((step) => fileEvent(action, step, asked));
  drafts.push(...decidedEvents(action, steps, asked, at));
  const effects: Effect[] = [];
  for (const step of action === "revert" ? steps : []) {
    const inverse = await inverseOf(inputs, step);
    drafts.push(...inverse.drafts);
    effects.push(...inverse.effects.filter(({ table }) => table === "blobs"));
  }
  for (const step of steps) drafts.push(...updates(step.row, step, asked, at));
  return { drafts, effects };
}

/** The events that change the status of a patch, or the set of its applied hunks. */
export function updates(
  row: ArtifactRow,
  { status, applied, chosen }: { status: string; applied?: readonly number[]; chosen?: readonly number[] },
  { by, reason }: Asked,
  at: string,
): ArtifactDraft[] {
  const { artifact_id } = row;
  const shared = { by, ...(reason !== undefined && { reason }), ...(chosen && { hunks: chosen }), at };
  const updated = (field: string, old_value: unknown, new_value: unknown): ArtifactDraft => ({
    type: "artifact.updated",
    data: { artifact_id, field, old_value, new_value, ...shared },
  });
  const isSplit = chosen !== undefined || row.applied_hunks !== null;
  return [
    ...(isSplit && applied ? [updated("applied_hunks", appliedHunks(row), applied)] : []),
    ...(status === row.status ? [] : [updated("status", row.status, status)]),
  ];
}

function fileEvent(action: PatchAction, { row, chosen }: PatchStep, { by }: Asked): ArtifactDraft {
  const { artifact_id, path } = row;
  const shared = { artifact_id, path, by, ...(chosen && { hunks: chosen }) };
  if (action === "apply") return { type: "tool.file.applied", data: { ...shared, artifact_status: "applied" } };
  const before_existed = row.before_existed === 1;
  return { type: "tool.file.reverted", data: { ...shared, artifact_status: "reverted", before_existed } };
}

/** One event for a single patch; one for all of them if there are several. */
function decidedEvents(
  action: PatchAction,
  steps: readonly PatchStep[],
  { by, reason }: Asked,
  at: string,
): ArtifactDraft[] {
  const [first] = steps;
  if (!first) return [];
  const data = action === "apply" ? { applied_at: at } : { reverted_by: by, ...(reason !== undefined && { reason }) };
  const verb = action === "apply" ? "applied" : "reverted";
  if (steps.length > 1) {
    const patch_artifact_ids = steps.map(({ row }) => row.artifact_id);
    return [{ type: `tool.multi_edit.${verb}`, data: { patch_artifact_ids, ...data } }];
  }
  const kind = changeKind({ before_existed: first.row.before_existed === 1 });
  return [{ type: `tool.${kind}.${verb}`, data: { patch_artifact_id: first.row.artifact_id, ...data } }];
}

/** A patch that does what the revert does. Reverting it brings the change back. */
function inverseOf({ directory, run, redact }: EventInputs, { row, path, before, after }: PatchStep) {
  const { run_id, task_id } = run;
  const mode = after?.mode ?? before?.mode;
  return patchArtifact(directory, {
    ...{ run_id, task_id, path, before: before?.bytes, after: after?.bytes },
    ...(mode !== undefined && { mode }),
    ...(before && { before_mode: before.mode }),
    ...(row.group_id !== null && { group_id: row.group_id }),
    attribution: "call",
    inverse_of: row.artifact_id,
    secret: isSecret(directory, [row.base_revision, row.result_revision]),
    redact,
  });
}
