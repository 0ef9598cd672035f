import { type ArtifactDraft, type NewArtifacts, type NewPatch, type PatchInput, patchArtifact } from "./create.ts";

/** A changed file of a call. */
export interface ChangedFile extends PatchInput {
  /** Whether the agent told of this change itself. Its own `tool.file.patch` gets the id of the patch then. */
  told?: boolean;
  /** The size of the file after the change, if its bytes are not kept. */
  size?: number;
}

/** The files that one call changed. */
export interface CallChanges {
  files: readonly ChangedFile[];
  tool_name?: string;
  /** Whether the call edits several files at once by its kind. */
  multi_edit?: boolean;
  /** Epoch milliseconds. */
  at: number;
}

/**
 * Makes the patches of one call and all events that tell of them, in the order in which they are written after the end of
 * the call. A change from outside is told by `artifact.created` alone.
 */
export async function patchesOfCall(
  directory: string,
  { files, tool_name, multi_edit, at }: CallChanges,
): Promise<NewArtifacts & { patches: NewPatch[] }> {
  const applied_at = new Date(at).toISOString();
  const patches: NewPatch[] = [];
  const perFile: ArtifactDraft[][] = [];
  for (const file of files) {
    const patch = await patchArtifact(directory, file);
    patches.push(patch);
    perFile.push(multi_edit ? told(file, patch, tool_name) : single(file, patch, { tool_name, applied_at }));
  }
  const own = files.flatMap((file, index) => (file.attribution === "outside" ? [] : [patches[index] as NewPatch]));
  const call = callOf(files[0]);
  const patch_artifact_ids = own.map(({ artifact_id }) => artifact_id);
  const group = multi_edit && own.length > 0;
  const summary = `${own.length} ${own.length === 1 ? "file" : "files"}`;
  const proposed = {
    type: "tool.multi_edit.proposed",
    data: { ...call, patch_artifact_ids, summary, auto_apply: true },
  };
  const applied = { type: "tool.multi_edit.applied", data: { ...call, patch_artifact_ids, applied_at } };
  const hasProposed = files.some((file) => file.told === true);
  return {
    patches,
    artifact_ids: patches.map(({ artifact_id }) => artifact_id),
    drafts: [...(group && !hasProposed ? [proposed] : []), ...perFile.flat(), ...(group ? [applied] : [])],
    effects: patches.flatMap(({ effects }) => effects),
  };
}

/** The kind of event that tells of a change: a new file is written, an existing one is edited. */
export const changeKind = (file: { before_existed: boolean }): "edit" | "file_write" =>
  file.before_existed ? "edit" : "file_write";

interface Told {
  tool_name: string | undefined;
  applied_at: string;
}

function single(file: ChangedFile, patch: NewPatch, { tool_name, applied_at }: Told): ArtifactDraft[] {
  const events = told(file, patch, tool_name);
  if (file.attribution === "outside" || !exists(file)) return events;
  const kind = changeKind({ before_existed: existedBefore(file) });
  const { path, operation } = file;
  const { artifact_id: patch_artifact_id, summary } = patch;
  const auto_apply = operation !== "propose";
  const call = callOf(file);
  const intent = { type: `tool.${kind}.proposed`, data: { ...call, path, patch_artifact_id, summary, auto_apply } };
  const applied = { type: `tool.${kind}.applied`, data: { ...call, patch_artifact_id, applied_at } };
  return [...(file.told ? [] : [intent]), ...events, ...(auto_apply ? [applied] : [])];
}

/** The event of the change itself, and the artifact's own. */
function told(file: ChangedFile, patch: NewPatch, tool_name: string | undefined): ArtifactDraft[] {
  if (file.attribution === "outside" || file.told) return patch.drafts;
  const { path, operation = "write" } = file;
  const { artifact_id, diff } = patch;
  const bytes_written = file.after?.length ?? file.size ?? 0;
  if (!exists(file))
    return [{ type: "tool.file.deleted", data: { ...callOf(file), path, artifact_id } }, ...patch.drafts];
  const data = {
    ...callOf(file),
    ...(tool_name !== undefined && { tool_name }),
    ...{ kind: "file", operation, path, artifact_id, bytes_written },
    ...{ diff_bytes: Buffer.byteLength(diff), before_existed: existedBefore(file) },
    artifact_status: operation === "propose" ? "proposed" : "applied",
  };
  return [{ type: "tool.file.patch", data }, ...patch.drafts];
}

/** A file that is too large to keep is known by its hashes only. */
export const existedBefore = ({ before, hashes }: ChangedFile): boolean =>
  before !== undefined || hashes?.before !== undefined;
const exists = ({ after, hashes }: ChangedFile): boolean => after !== undefined || hashes?.after !== undefined;

function callOf(file: PatchInput | undefined): { tool_call_id?: string } {
  const [tool_call_id] = file?.tool_call_ids ?? [];
  return tool_call_id === undefined ? {} : { tool_call_id };
}
