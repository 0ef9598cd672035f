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
  dotted("artifact.created", "artifact", "Something was stored.", {
    artifact_id,
    kind: oneOf(artifactKinds, "What it is."),
    size_bytes: Count("Its size."),
    summary: optional(Text("One line for people.")),
    created_by_event_id: optional(Key("The event that made it.")),
  }),
  dotted("artifact.referenced", "artifact", "Something stored was used.", {
    artifact_id,
    by_event_id: Key("The event that used it."),
    relation: Key("How: `consumed`, …"),
  }),
  dotted("artifact.updated", "artifact", "A field of its record changed.", {
    artifact_id,
    field: Key("Which field."),
    old_value: Json("What it was."),
    new_value: Json("What it is."),
  }),
] as const;
