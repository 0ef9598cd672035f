import { artifactStatuses } from "../envelope/artifact-values.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { countDiff } from "../mapping/diff-lines.ts";
import { writtenLines } from "../mapping/written-lines.ts";
import { type FileData, fileAt, identify, openFile, setFileStatus } from "./open-file.ts";
import { count, flag, type Handlers, key, keys, oneOf, put, text, when } from "./payload-fields.ts";
import type { ArtifactView, FileStatus, FileView } from "./types-work.ts";
import type { Draft } from "./view-draft.ts";

export const files = {
  "tool.edit.proposed": intend("edit"),
  "tool.multi_edit.proposed": intend("edit"),
  "tool.file_write.proposed": intend("create"),
  "tool.file.patch"(draft, data, envelope) {
    const artifactId = key(data.artifact_id);
    const operation = operationOf(data);
    const file = fileAt(draft, data, artifactId, operation, envelope);
    identify(draft, file, { artifactId, eventId: key(envelope.event_id), path: key(data.path) });
    put(draft.lists.files.edit(file), {
      operation,
      diff: text(data.diff),
      ...linesOf(draft, data, operation),
      diffBytes: count(data.diff_bytes),
      bytesWritten: count(data.bytes_written),
      beforeExisted: flag(data.before_existed),
    });
    const fallback = data.operation === "propose" ? "proposed" : "applied";
    setFileStatus(draft, file, oneOf(statuses, data.artifact_status) ?? fallback, when(envelope));
  },
  "tool.file.deleted"(draft, data, envelope) {
    const file = openFile(draft, data, "delete", envelope);
    identify(draft, file, { artifactId: key(data.artifact_id), eventId: key(envelope.event_id) });
    setFileStatus(draft, file, "applied", when(envelope));
  },
  "tool.file.applied": decided("applied"),
  "tool.file.reverted": decided("reverted"),
  "tool.edit.applied": decided("applied"),
  "tool.edit.reverted": decided("reverted"),
  "tool.multi_edit.applied": decided("applied"),
  "tool.multi_edit.reverted": decided("reverted"),
  "tool.file_write.applied": decided("applied"),
  "tool.file_write.reverted": decided("reverted"),

  "artifact.created"(draft, data, envelope) {
    const artifact: ArtifactView = { id: text(data.artifact_id) ?? "", kind: text(data.kind) ?? "" };
    const lines = { additions: count(data.additions), deletions: count(data.deletions) };
    draft.lists.artifacts.push(
      put(artifact, {
        sizeBytes: count(data.size_bytes),
        summary: text(data.summary),
        toolCallId: key(data.tool_call_id),
        path: key(data.path),
        attribution: oneOf(["call", "shared", "outside"], data.attribution),
        ...lines,
        at: when(envelope),
      }),
    );
    const { filesByEvent, filesByArtifact } = draft.lookup;
    const file = filesByEvent.get(text(data.created_by_event_id) ?? "") ?? filesByArtifact.get(artifact.id);
    if (file === undefined || data.kind !== "patch") return;
    identify(draft, file, { artifactId: key(artifact.id) });
    put(draft.lists.files.edit(file), lines);
  },
  "artifact.updated"(draft, data, envelope) {
    const file = draft.lookup.filesByArtifact.get(text(data.artifact_id) ?? "");
    const status = oneOf(statuses, data.new_value);
    if (file === undefined) return;
    if (data.field === "status" && status) setFileStatus(draft, file, status, when(envelope));
    if (data.field === "reverted_at") put(draft.lists.files.edit(file), { revertedAt: key(data.new_value) });
  },
  "artifact.referenced"() {},
} satisfies Handlers;

const statuses = artifactStatuses;

/** The lines that a change adds and removes. The input of the call that made a file holds all its lines. */
function linesOf(
  { lists, lookup }: Draft,
  { diff, tool_call_id, bytes_written }: { diff?: unknown; tool_call_id?: unknown; bytes_written?: unknown },
  operation: FileView["operation"],
): Pick<FileView, "additions" | "deletions"> {
  if (typeof diff === "string") return countDiff(diff);
  const input = lists.tools.at(lookup.calls.get(text(tool_call_id) ?? "") ?? -1)?.input;
  const additions = operation === "create" ? writtenLines(input, bytes_written) : undefined;
  return additions === undefined ? {} : { additions, deletions: 0 };
}

interface PatchData extends FileData {
  readonly artifact_id?: unknown;
  readonly patch_artifact_id?: unknown;
  readonly patch_artifact_ids?: unknown;
}

interface IntentData extends PatchData {
  readonly summary?: unknown;
  readonly auto_apply?: unknown;
}

/** An intent comes before its patch, and both update the same item. */
function intend(operation: FileView["operation"]) {
  return (draft: Draft, data: IntentData, envelope: Envelope): void => {
    for (const artifactId of patchesOf(data)) {
      const file = fileAt(draft, data, artifactId, operation, envelope);
      identify(draft, file, { artifactId });
      put(draft.lists.files.edit(file), { autoApply: flag(data.auto_apply), summary: text(data.summary) });
    }
  };
}

interface DecidedData extends PatchData {
  readonly applied_at?: unknown;
  readonly reverted_by?: unknown;
  readonly reason?: unknown;
}

function decided(status: FileStatus) {
  return (draft: Draft, data: DecidedData, envelope: Envelope): void => {
    for (const artifactId of patchesOf(data)) {
      const file = decidedFile(draft, data, artifactId) ?? fileAt(draft, data, artifactId, "edit", envelope);
      identify(draft, file, { artifactId });
      setFileStatus(draft, file, status, key(data.applied_at) ?? when(envelope));
      put(draft.lists.files.edit(file), { revertedBy: text(data.reverted_by), reason: text(data.reason) });
    }
  };
}

/** Finds the change of a patch. A change reported before its patch was stored is found by its path or its call. */
function decidedFile({ lists, lookup }: Draft, data: DecidedData, artifactId: string | undefined): number | undefined {
  const stored = lookup.filesByArtifact.get(artifactId ?? "");
  if (stored !== undefined) return stored;
  const call = lists.tools.at(lookup.calls.get(text(data.tool_call_id) ?? "") ?? -1);
  const candidates = [lookup.filesByPath.get(text(data.path) ?? "") ?? -1, ...(call?.files ?? [])];
  return candidates.find((file) => {
    const candidate = lists.files.at(file);
    return candidate && (artifactId === undefined || candidate.artifactId === undefined);
  });
}

/** Returns the ids of the stored patches of an event, or one undefined id if the event has only a path. */
function patchesOf(data: PatchData): (string | undefined)[] {
  const several = Array.isArray(data.patch_artifact_ids) ? data.patch_artifact_ids : [];
  const ids = keys([data.artifact_id, data.patch_artifact_id, ...several]);
  return ids.length === 0 && key(data.path) !== undefined ? [undefined] : ids;
}

function operationOf(data: { operation?: unknown; before_existed?: unknown; diff?: unknown }): FileView["operation"] {
  if (data.operation === "append") return "append";
  if (data.before_existed === false) return "create";
  return typeof data.diff === "string" || data.operation === "propose" ? "edit" : "write";
}
