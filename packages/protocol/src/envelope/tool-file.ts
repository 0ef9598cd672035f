import { Count, Flag, Instant, Key, oneOf, optional, Text, Type } from "../schema.ts";
import { dotted } from "./define.ts";
import { fileAttributes } from "./tool-attributes.ts";

const tool_call_id = optional(Key("The call that touched the file; absent when the agent does not say."));
const path = Key("The file.");
const patch_artifact_id = optional(Key("The stored patch."));
const patch_artifact_ids = Type.Array(Key("A stored patch."), {
  description: "The stored patches, applied all or none.",
});

const status = oneOf(["applied", "proposed", "reverted"], "Where the patch stands.");

const intent = {
  tool_call_id,
  summary: optional(Text("One line for people.")),
  auto_apply: Flag("Whether it is applied without asking."),
};
const applied = { tool_call_id, applied_at: Instant("When.") };
const reverted = { reverted_by: optional(Text("Who asked.")), reason: optional(Text("Why.")) };
const editPatch = Key("The stored patch.");

export const fileDefinitions = [
  dotted("tool.file.patch", "core", "A file was changed, or a change is proposed.", {
    tool_call_id,
    tool_name: optional(Key("The tool.")),
    kind: Type.Literal("file", { description: "Always file here." }),
    operation: oneOf(["write", "append", "propose"], "What was done."),
    path,
    artifact_id: optional(Key("The stored patch.")),
    bytes_written: optional(Count("Bytes written.")),
    diff: optional(Text("The unified diff, until it is stored as an artifact.")),
    diff_bytes: optional(Count("Its size.")),
    before_existed: optional(Flag("Whether the file existed before.")),
    artifact_status: optional(status),
    ...fileAttributes,
  }),
  dotted("tool.file.applied", "core", "A proposed patch was applied.", {
    artifact_id: Key("The stored patch."),
    path,
    artifact_status: Type.Literal("applied", { description: "Where the patch stands now." }),
  }),
  dotted("tool.file.reverted", "core", "An applied patch was reverted.", {
    artifact_id: Key("The stored patch."),
    path,
    artifact_status: Type.Literal("reverted", { description: "Where the patch stands now." }),
    before_existed: Flag("True: the old content is back. False: the new file is gone."),
  }),
  dotted("tool.file.deleted", "additive", "A file was deleted.", { tool_call_id, path }),
  dotted("tool.edit.proposed", "artifact", "The intent to change an existing file.", {
    ...intent,
    path,
    patch_artifact_id,
  }),
  dotted("tool.edit.applied", "artifact", "The change is made.", { ...applied, patch_artifact_id: editPatch }),
  dotted("tool.edit.reverted", "artifact", "The change is undone.", { ...reverted, patch_artifact_id: editPatch }),
  dotted("tool.multi_edit.proposed", "artifact", "The intent to change files in one go.", {
    ...intent,
    path: optional(path),
    patch_artifact_ids: optional(patch_artifact_ids),
  }),
  dotted("tool.multi_edit.applied", "artifact", "The changes are made.", { ...applied, patch_artifact_ids }),
  dotted("tool.multi_edit.reverted", "artifact", "The changes are undone.", { ...reverted, patch_artifact_ids }),
  dotted("tool.file_write.proposed", "artifact", "The intent to write a new file.", {
    ...intent,
    path,
    patch_artifact_id,
  }),
  dotted("tool.file_write.applied", "artifact", "The new file is written.", {
    ...applied,
    patch_artifact_id: editPatch,
  }),
  dotted("tool.file_write.reverted", "artifact", "The new file is gone again.", {
    ...reverted,
    patch_artifact_id: editPatch,
  }),
  dotted("tool.file_read.completed", "experimental", "A file was read.", {
    tool_call_id,
    path,
    size_bytes: optional(Count("Its size.")),
    lines: optional(Count("Lines read.")),
    snippet_artifact_id: optional(Key("What was read.")),
  }),
] as const;
