import { Count, Flag, Instant, Json, Key, oneOf, optional, Text, Type } from "../schema.ts";
import { artifactKinds, artifactStatuses } from "./artifact-values.ts";
import { dotted, turnIndex } from "./define.ts";

export { artifactKinds, artifactStatuses };

const artifact_id = Key("`art_` and a ULID.");

export const artifactDefinitions = [
  dotted("artifact.created", "artifact", "An artifact was stored.", {
    artifact_id,
    kind: oneOf(artifactKinds, "The kind of artifact."),
    size_bytes: Count("Size in bytes."),
    summary: optional(Text("One line for people.")),
    created_by_event_id: optional(Key("The event that created the artifact.")),
    tool_call_id: optional(Key("The call that made it.")),
    tool_call_ids: optional(
      Type.Array(Key("A call."), { description: "The calls that may have made it, if they ran at the same time." }),
    ),
    turn_index: optional(turnIndex),
    group_id: optional(Key("The same for all artifacts of one call.")),
    sha256: optional(Key("The hash of its bytes.")),
    mime: optional(Text("Media type.")),
    name: optional(Text("File name.")),
    path: optional(Key("For a patch: the file.")),
    mode: optional(Text("For a patch: the file's mode in octal, such as `100644`.")),
    base_mode: optional(Text("For a patch: the mode before, if the patch changes it.")),
    operation: optional(oneOf(["write", "append", "propose", "delete"], "For a patch: what was done.")),
    status: optional(oneOf(artifactStatuses, "For a patch: its status.")),
    before_existed: optional(Flag("For a patch: whether the file existed before.")),
    base_revision: optional(Text("For a patch: the SHA-256 of the file before; absent if it did not exist.")),
    result_revision: optional(Text("For a patch: the SHA-256 of the file after; absent if it was deleted.")),
    additions: optional(Count("For a patch: lines added.")),
    deletions: optional(Count("For a patch: lines removed.")),
    hunks: optional(Count("For a patch: the number of its hunks.")),
    attribution: optional(
      oneOf(
        ["call", "shared", "outside"],
        "Who made the change. `call`: the named call. `shared`: one of several calls. `outside`: nobody in this run.",
      ),
    ),
    revertible: optional(Flag("False when the file is too large to keep its bytes.")),
    inverse_of: optional(Key("The artifact that this patch reverts.")),
  }),
  dotted("artifact.referenced", "artifact", "A stored artifact was used.", {
    artifact_id,
    by_event_id: Key("The event that used the artifact."),
    relation: Key("How it was used: `consumed`, …"),
  }),
  dotted("artifact.updated", "artifact", "A field of the artifact's record changed.", {
    artifact_id,
    field: Key("Which field."),
    old_value: Json("The old value."),
    new_value: Json("The new value."),
    at: optional(Instant("When it was changed.")),
    by: optional(Text("Who changed it.")),
    reason: optional(Text("The reason.")),
    hunks: optional(Type.Array(Count("The number of a hunk, from 0."), { description: "Only these hunks changed." })),
  }),
] as const;
