import { Count, Key, optional, type Static, Text } from "../schema.ts";
import { agentEvent } from "./base.ts";

const path = Key("Absolute, or relative to the workspace.");
const toolCallId = optional(Key("The tool call that touched the file."));

export const FileReadEvent = agentEvent("file_read", "A file was read.", { path, toolCallId });
export type FileReadEvent = Static<typeof FileReadEvent>;

export const FileWriteEvent = agentEvent("file_write", "An existing file was replaced.", {
  path,
  byteCount: Count("Bytes written."),
  toolCallId,
});
export type FileWriteEvent = Static<typeof FileWriteEvent>;

export const FileCreateEvent = agentEvent("file_create", "A new file was written.", {
  path,
  byteCount: Count("Bytes in the new file."),
  toolCallId,
});
export type FileCreateEvent = Static<typeof FileCreateEvent>;

export const FileDeleteEvent = agentEvent("file_delete", "A file was deleted.", { path, toolCallId });
export type FileDeleteEvent = Static<typeof FileDeleteEvent>;

export const FilePatchEvent = agentEvent("file_patch", "Parts of a file were changed.", {
  path,
  diff: Text("Unified diff of the change."),
  toolCallId,
});
export type FilePatchEvent = Static<typeof FilePatchEvent>;
