import type { Envelope } from "../envelope/envelope.ts";
import { callAt } from "./open-call.ts";
import { key, put, text, when } from "./payload-fields.ts";
import type { FileStatus, FileView } from "./types-work.ts";
import { add, type Draft } from "./view-draft.ts";
import { intentKey, isIntent } from "./view-index.ts";

export interface FileData {
  readonly tool_call_id?: unknown;
  readonly path?: unknown;
}

/** Finds the change of an event by its patch or its announcement, otherwise opens a new one. */
export function fileAt(
  draft: Draft,
  data: FileData,
  artifactId: string | undefined,
  operation: FileView["operation"],
  envelope: Envelope,
): number {
  const { filesByArtifact, intents } = draft.lookup;
  const announcement = intentKey(key(data.tool_call_id), text(data.path) ?? "");
  const known = filesByArtifact.get(artifactId ?? "") ?? intents.get(announcement);
  if (known !== undefined) return known;
  const file = openFile(draft, data, operation, envelope);
  intents.set(announcement, file);
  return file;
}

export function openFile(draft: Draft, data: FileData, operation: FileView["operation"], envelope: Envelope): number {
  const { lists, lookup } = draft;
  const toolCallId = key(data.tool_call_id);
  const tool = toolCallId === undefined ? undefined : callAt(draft, toolCallId, {}, envelope);
  const file: FileView = { path: text(data.path) ?? "", operation, status: "proposed" };
  const at = add(draft, "files", put(file, { toolCallId, at: when(envelope) }), tool);
  if (tool !== undefined) lists.tools.edit(tool).files.push(at);
  latest(lookup.filesByPath, key(file.path), at);
  return at;
}

interface FileNames {
  readonly artifactId?: string | undefined;
  readonly eventId?: string | undefined;
  readonly path?: string | undefined;
}

/** Sets the ids of a change. The first value of each is kept. */
export function identify({ lists, lookup }: Draft, at: number, { artifactId, eventId, path }: FileNames): void {
  const file = lists.files.edit(at);
  const announcement = intentKey(file.toolCallId, file.path);
  put(file, {
    artifactId: file.artifactId ?? artifactId,
    eventId: file.eventId ?? eventId,
    path: file.path === "" ? path : file.path,
  });
  if (!isIntent(file) && lookup.intents.get(announcement) === at) lookup.intents.delete(announcement);
  latest(lookup.filesByArtifact, file.artifactId, at);
  latest(lookup.filesByEvent, file.eventId, at);
  latest(lookup.filesByPath, key(file.path), at);
}

export function setFileStatus(
  { lists, lookup }: Draft,
  at: number,
  status: FileStatus,
  time: string | undefined,
): void {
  const file = lists.files.edit(at);
  file.status = status;
  if (status === "applied") put(file, { appliedAt: time });
  if (status === "reverted") put(file, { revertedAt: time });
  const announcement = intentKey(file.toolCallId, file.path);
  if (!isIntent(file) && lookup.intents.get(announcement) === at) lookup.intents.delete(announcement);
}

/** Maps a name to the latest change with it, whatever the order of calls. */
function latest(map: Map<string, number>, name: string | undefined, at: number): void {
  if (name !== undefined && (map.get(name) ?? -1) < at) map.set(name, at);
}
