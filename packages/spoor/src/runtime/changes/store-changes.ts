import type { Effect } from "../../log/effects.ts";
import type { ArtifactDraft, ChangedFile, Limits } from "../artifacts/index.ts";
import { existedBefore, patchesOfCall } from "../artifacts/index.ts";
import type { ChangePlace, StoredPatch } from "../recorder/change-source.ts";
import type { FileContent } from "../workspace/snapshot.ts";
import type { FoundChange, FoundChanges } from "./found-changes.ts";

/** What to write for changes, in the same commit as the end of their call. */
export interface StoredChanges {
  drafts: ArtifactDraft[];
  effects: Effect[];
  /** The patches of files of which the agent tells itself, by path. */
  told: ReadonlyMap<string, Pick<StoredPatch, "artifact_id" | "before_existed">>;
  /** All patches of a call that edits several files. */
  multi_edit?: readonly string[];
}

/** A call of an agent has a turn, a command that is run for itself has none. */
type CallPlace = Omit<ChangePlace, "turn_index"> & Partial<Pick<ChangePlace, "turn_index">>;

/** Stores the bytes of the changes, and makes the events that tell of them. */
export async function storeChanges(
  directory: string,
  { changes, call, notes }: FoundChanges,
  { at, ...place }: CallPlace,
  { told, limits }: { told: ReadonlySet<string>; limits?: Limits | undefined },
): Promise<StoredChanges> {
  const group_id = call ? { group_id: `${place.run_id}/${call.toolCallId}` } : {};
  const files = changes.map((change): ChangedFile => {
    const isOwn = call !== undefined && change.attribution !== "outside";
    return {
      ...place,
      ...(isOwn && group_id),
      ...patchInput(change),
      ...(limits && { limits }),
      // Without a call there is no turn in which a file could change, so the artifact alone is told.
      ...(told.has(change.path) && isOwn && { told: true }),
    };
  });
  const [outside, own] = [files.filter((_, n) => !isOwnAt(n)), files.filter((_, n) => isOwnAt(n))];
  function isOwnAt(n: number): boolean {
    return call !== undefined && changes[n]?.attribution !== "outside";
  }
  const before = await patchesOfCall(directory, { files: outside.map(alone), at });
  const isMulti = call?.isMulti === true;
  const made = await patchesOfCall(directory, {
    files: own,
    at,
    multi_edit: isMulti,
    ...(call && { tool_name: call.toolName }),
  });
  const ids = new Map(own.flatMap((file, n) => patchOf(file, made.artifact_ids[n])));
  return {
    drafts: [...notes.map(noteDraft), ...before.drafts, ...made.drafts],
    effects: [...before.effects, ...made.effects],
    told: ids,
    ...(isMulti && { multi_edit: made.artifact_ids }),
  };
}

const patchOf = (file: ChangedFile, artifact_id: string | undefined) =>
  file.told && artifact_id !== undefined
    ? [[file.path, { artifact_id, before_existed: existedBefore(file) }] as const]
    : [];

/** Told by its artifact alone. */
const alone = (file: ChangedFile): ChangedFile => ({ ...file, told: true });

export const noteDraft = (message: string): ArtifactDraft => ({
  type: "debug.message",
  data: { level: "warn", message },
});

function patchInput({ path, before, after, isFinal, attribution, tool_call_ids }: FoundChange) {
  const mode = modeOf(after ?? before);
  const bytes = isFinal
    ? {
        size: after?.size ?? 0,
        before: undefined,
        after: undefined,
        hashes: { ...hash("before", before), ...hash("after", after) },
      }
    : { before: before?.bytes, after: after?.bytes };
  return {
    ...{ path, attribution, tool_call_ids, ...bytes },
    ...(mode !== undefined && { mode }),
    ...(before && after && { before_mode: modeOf(before) as number }),
  };
}

const hash = (side: "before" | "after", content: FileContent | undefined) =>
  content ? { [side]: `sha256:${content.sha256}` } : {};

const modeOf = (content: FileContent | undefined): number | undefined => content && Number.parseInt(content.mode, 8);
