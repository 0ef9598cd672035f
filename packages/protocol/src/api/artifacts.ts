import { artifactKinds, artifactStatuses } from "../envelope/artifact.ts";
import { idPrefixes } from "../envelope/ids.ts";
import { Count, Flag, Instant, Key, oneOf, optional, PrefixedId, type Static, Text, Type } from "../schema.ts";
import { DEFAULT_LIMIT, MAX_LIMIT } from "./values.ts";

const id = (kind: "run" | "task" | "artifact", description: string) =>
  PrefixedId(idPrefixes[kind].slice(0, -1), description);
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);
const hunkNumbers = (description: string) => Type.Array(Type.Integer({ minimum: 0 }), { description });

/** The fields that only patches have. */
const patchFields = {
  target_path: optional(Text("The file, relative to the workspace.")),
  mode: optional(Text("The file's mode in octal, such as `100644`.")),
  base_mode: optional(Text("The mode before, if the patch changes it.")),
  operation: optional(oneOf(["write", "append", "propose", "delete"], "What was done.")),
  before_existed: optional(Flag("Whether the file existed before.")),
  base_revision: optional(orNull(Text("The SHA-256 of the file before; null if it did not exist."))),
  result_revision: optional(orNull(Text("The SHA-256 of the file after; null if it was deleted."))),
  stats: optional(
    Type.Object({
      additions: Count("Lines added."),
      deletions: Count("Lines removed."),
      hunks: Count("Hunks, which are counted from 0."),
    }),
  ),
  applied_hunks: optional(hunkNumbers("The hunks that the file has now.")),
  attribution: optional(
    oneOf(["call", "shared", "outside"], "Who made the change: one call, one of several, or nobody in this run."),
  ),
  revertible: optional(Flag("False if the bytes of the file were not kept.")),
  inverse_of: optional(Text("The patch that this one reverts.")),
  applied_at: optional(orNull(Instant("When it was applied."))),
  reverted_at: optional(orNull(Instant("When it was reverted."))),
  is_pending: optional(Flag("Whether its file is being written at this moment.")),
};

export const ArtifactRecord = Type.Object(
  {
    id: id("artifact", "The artifact."),
    kind: oneOf(artifactKinds, "The kind of artifact."),
    status: optional(oneOf(artifactStatuses, "The status of a patch.")),
    summary: optional(Text("One line for people.")),
    size_bytes: Count("The size of its body."),
    sha256: optional(Text("The hash of its body, which is also its ETag.")),
    mime: optional(Text("Media type.")),
    name: optional(Text("File name.")),
    ...patchFields,
    created_at: Instant("When it was stored."),
    updated_at: Instant("When it last changed."),
    produced_by_run_id: id("run", "The run that made it."),
    produced_by_task_id: optional(id("task", "The task of that run.")),
    produced_by_tool_call_id: optional(Text("The call that made it.")),
    tool_call_ids: Type.Array(Type.String(), { description: "All calls that may have made it." }),
    group_id: optional(Text("The same for all artifacts of one call.")),
    turn_index: optional(Count("The turn in which it was made.")),
    diff: optional(Text("The unified diff of a patch, with secrets redacted. Not in lists.")),
  },
  { description: "Something that a run made or used: a change of a file, the output of a command, an image, …" },
);
export type ArtifactRecord = Static<typeof ArtifactRecord>;

export const ArtifactAnswer = Type.Object({ object: Type.Literal("artifact"), data: ArtifactRecord });
export type ArtifactAnswer = Static<typeof ArtifactAnswer>;

/** A page of artifacts, newest first. */
export const ArtifactList = Type.Object({
  object: Type.Literal("list"),
  data: Type.Array(ArtifactRecord),
  has_more: Flag("Whether there are more items after this page."),
  next_before: optional(orNull(Text("Pass this as `before` to get the next page."))),
});
export type ArtifactList = Static<typeof ArtifactList>;

const page = {
  kind: optional(oneOf(artifactKinds, "Only artifacts of this kind.")),
  status: optional(oneOf(artifactStatuses, "Only patches with this status.")),
  before: optional(Key("Only artifacts that were stored before this one.")),
  limit: optional(
    Type.Integer({
      ...{ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
      description: "The maximum number of items on a page.",
    }),
  ),
};

export const RunArtifactsQuery = Type.Object(page);
export type RunArtifactsQuery = Static<typeof RunArtifactsQuery>;

export const ArtifactsQuery = Type.Object({ run_id: optional(Key("Only artifacts of this run.")), ...page });
export type ArtifactsQuery = Static<typeof ArtifactsQuery>;

/** What to apply, reject or revert. */
export const PatchRequest = Type.Object(
  {
    hunks: optional(hunkNumbers("Only these hunks, counted from 0. Absent: the whole patch.")),
    reason: optional(Text("Why, for the record.")),
  },
  { description: "May be left out: then the whole patch is meant." },
);
export type PatchRequest = Static<typeof PatchRequest>;

/** Which patches of a run to apply or revert. */
export const RunPatchesRequest = Type.Object(
  {
    files: optional(
      Type.Array(Key("A file, relative to the workspace."), { description: "Only patches of these files." }),
    ),
    artifact_ids: optional(
      Type.Array(Key("A patch."), {
        description: "Only these patches. Reverted ones are applied only if they are named.",
      }),
    ),
    target: optional(
      oneOf(
        ["workspace", "origin"],
        "Only to apply. `workspace`: write the proposed patches to the run's own folder, which is the default. `origin`: write everything the run changed in its worktree or clone to the folder that it was made from; no status changes then.",
      ),
    ),
    reason: optional(Text("Why, for the record.")),
  },
  { description: "May be left out: then all patches are meant." },
);
export type RunPatchesRequest = Static<typeof RunPatchesRequest>;

export const CurrentFileAnswer = Type.Object({
  object: Type.Literal("current_file"),
  data: Type.Object(
    {
      path: Text("The file, relative to the workspace."),
      exists: Flag("Whether the file exists now."),
      is_expected: Flag("Whether it is as the patch needs it, so that it can be applied or reverted as a whole."),
      expected: optional(Text("The SHA-256 of the content that the patch needs; absent if there must be no file.")),
      actual: optional(Text("The SHA-256 of the content now; absent if there is no file.")),
      diff: optional(Text("A unified diff from the content that the patch needs to the content now.")),
      omitted: optional(oneOf(["secret", "too_large", "not_kept"], "Why there is no diff although the file differs.")),
    },
    { description: "The file of a patch as it is now." },
  ),
});
export type CurrentFileAnswer = Static<typeof CurrentFileAnswer>;

export const RunDiffQuery = Type.Object({
  through: optional(Key("Only changes up to this checkpoint: its id, or the sequence of an event.")),
});
export type RunDiffQuery = Static<typeof RunDiffQuery>;

export const RunDiffAnswer = Type.Object({
  object: Type.Literal("diff"),
  data: Type.Object({
    run_id: id("run", "The run."),
    files: Type.Array(
      Type.Object({
        path: Text("The file, relative to the workspace."),
        additions: Count("Lines added."),
        deletions: Count("Lines removed."),
      }),
    ),
    redacted: Type.Array(Type.String(), {
      description: "Files whose changes hold secrets. Their part is redacted and cannot be applied.",
    }),
    missing: Type.Array(Type.String(), { description: "Files that are too large: their changes are not in the diff." }),
    diff: Text("What `git apply` takes. Bytes that are not UTF-8 are exact only as `text/x-diff`."),
  }),
});
export type RunDiffAnswer = Static<typeof RunDiffAnswer>;
