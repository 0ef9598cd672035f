import { Count, Json, Key, oneOf, optional, Text } from "../schema.ts";
import { dotted } from "./define.ts";

export const artifactKinds = [
  "patch",
  "file_snapshot",
  "command_output",
  "fetched_resource",
  "search_results",
  "image",
  "tool_result_blob",
] as const;

const artifact_id = Key("`art_` and a ULID.");

export const artifactDefinitions = [
  dotted("artifact.created", "artifact", "An artifact was stored.", {
    artifact_id,
    kind: oneOf(artifactKinds, "The kind of artifact."),
    size_bytes: Count("Size in bytes."),
    summary: optional(Text("One line for people.")),
    created_by_event_id: optional(Key("The event that created the artifact.")),
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
  }),
] as const;
