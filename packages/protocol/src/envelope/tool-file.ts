import { Count, Flag, Instant, Key, oneOf, optional, Text, Type } from "../schema.ts";
import { dotted } from "./define.ts";
import { fileAttributes } from "./tool-attributes.ts";

const tool_call_id = optional(Key("The call that changed the file; absent when the agent does not report it."));
const path = Key("The file.");
const patch_artifact_id = optional(Key("The stored patch."));
const patch_artifact_ids = Type.Array(Key("A stored patch."), {
  description: "The stored patches. All of them are applied, or none.",
});

const status = oneOf(["applied", "proposed", "reverted"], "The status of the patch.");

const intent = {
  tool_call_id,
  summary: optional(Text("One line for people.")),
  auto_apply: Flag("Whether the change is applied without asking."),
};
const applied = { tool_call_id, applied_at: Instant("When the change was applied.") };
const reverted = { reverted_by: optional(Text("Who reverted it.")), reason: optional(Text("The reason.")) };
/** A person applied or reverted a patch. */
const request = {
  by: optional(Text("Who asked for it.")),
  hunks: optional(Type.Array(Count("The number of a hunk, from 0."), { description: "Only these hunks." })),
};
const editPatch = Key("The stored patch.");

export const fileDefinitions = [
  dotted("tool.file.patch", "core", "A file was changed, or a change is proposed.", {
    tool_call_id,
    tool_name: optional(Key("The tool.")),
    kind: Type.Literal("file", { description: "Always `file` here." }),
    operation: oneOf(["write", "append", "propose"], "What was done."),
    path,
    artifact_id: optional(Key("The stored patch.")),
    bytes_written: optional(Count("Bytes written.")),
    diff: optional(Text("The unified diff, if it is not stored as an artifact.")),
    diff_bytes: optional(Count("Size in bytes.")),
    before_existed: optional(Flag("Whether the file existed before.")),
    artifact_status: optional(status),
    ...fileAttributes,
  }),
  dotted("tool.file.applied", "core", "A proposed patch was applied.", {
    artifact_id: Key("The stored patch."),
    path,
    artifact_status: Type.Literal("applied", { description: "The status of the patch." }),
    ...request,
  }),
  dotted("tool.file.reverted", "core", "An applied patch was reverted.", {
    artifact_id: Key("The stored patch."),
    path,
    artifact_status: Type.Literal("reverted", { description: "The status of the patch." }),
    before_existed: Flag("True: the old content was restored. False: the new file was removed."),
    ...request,
  }),
  dotted("tool.file.deleted", "additive", "A file was deleted.", {
    tool_call_id,
    path,
    artifact_id: optional(Key("The stored patch, which has the old content.")),
  }),
  dotted("tool.edit.proposed", "artifact", "The agent wants to change an existing file.", {
    ...intent,
    path,
    patch_artifact_id,
  }),
  dotted("tool.edit.applied", "artifact", "The change was made.", { ...applied, patch_artifact_id: editPatch }),
  dotted("tool.edit.reverted", "artifact", "The change was undone.", { ...reverted, patch_artifact_id: editPatch }),
  dotted("tool.multi_edit.proposed", "artifact", "The agent wants to change several files at once.", {
    ...intent,
    path: optional(path),
    patch_artifact_ids: optional(patch_artifact_ids),
  }),
  dotted("tool.multi_edit.applied", "artifact", "The changes were made.", { ...applied, patch_artifact_ids }),
  dotted("tool.multi_edit.reverted", "artifact", "The changes were undone.", { ...reverted, patch_artifact_ids }),
  dotted("tool.file_write.proposed", "artifact", "The agent wants to write a new file.", {
    ...intent,
    path,
    patch_artifact_id,
  }),
  dotted("tool.file_write.applied", "artifact", "The new file was written.", {
    ...applied,
    patch_artifact_id: editPatch,
  }),
  dotted("tool.file_write.reverted", "artifact", "The new file was removed again.", {
    ...reverted,
    patch_artifact_id: editPatch,
  }),
  dotted("tool.file_read.completed", "experimental", "A file was read.", {
    tool_call_id,
    path,
    size_bytes: optional(Count("Size in bytes.")),
    lines: optional(Count("Lines read.")),
    truncated: optional(Flag("Whether some of the file is left out.")),
    snippet_artifact_id: optional(Key("What was read.")),
  }),
] as const;
