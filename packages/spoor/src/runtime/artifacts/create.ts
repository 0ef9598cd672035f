import { createUlidSource, idPrefixes } from "@spoor/protocol/ids";
import type { Effect } from "../../log/effects.ts";
import { artifactEffects } from "../projections/artifacts.ts";
import { diffOf } from "./diff-text.ts";
import { countLines, hunksBetween } from "./hunks.ts";
import { capOf, type Limits, MAX_ARTIFACT_BYTES } from "./limits.ts";
import { refusalOfMode } from "./patch-path.ts";
import { revisionOf, storeBlob } from "./store.ts";

/** An event to write, before it is redacted and gets its place. */
export interface ArtifactDraft {
  type: string;
  data: Record<string, unknown>;
}

/** What to append for new artifacts: these events in this order, and these effects in the same commit. */
export interface NewArtifacts {
  artifact_ids: string[];
  drafts: ArtifactDraft[];
  effects: Effect[];
}

/** The place of an artifact in its run. */
export interface ArtifactPlace {
  run_id: string;
  task_id: string;
  /** The calls that made it; several if they ran at the same time. */
  tool_call_ids?: readonly string[];
  turn_index?: number;
  /** The same for all artifacts of one call. */
  group_id?: string;
  /** Removes secrets from text. The bytes of a patch stay exact, but are stored encrypted if they hold secrets. */
  redact?: (text: string) => string;
  limits?: Limits;
}

/** Bytes to keep as an artifact. */
export interface ContentInput extends ArtifactPlace {
  kind: "file_snapshot" | "command_output" | "fetched_resource" | "search_results" | "image" | "tool_result_blob";
  bytes: Buffer;
  mime?: string;
  name?: string;
  summary?: string;
  /** Default: a new id. */
  artifact_id?: string;
  /** The size of the whole, if `bytes` is only a part of it. */
  total_bytes?: number;
}

/** Keeps bytes as an artifact. Text is redacted first. Beyond a limit, `gap.artifact_capped` takes its place. */
export async function contentArtifact(directory: string, input: ContentInput): Promise<NewArtifacts> {
  const { kind, mime, name, summary, redact, tool_call_ids = [] } = input;
  const bytes = redact && isText(mime) ? Buffer.from(redact(input.bytes.toString("utf8"))) : input.bytes;
  const kept = bytes.length > MAX_ARTIFACT_BYTES && isText(mime) ? headAndTail(bytes) : bytes;
  const cap = await capOf(input.limits, input.task_id, [kept.length]);
  const total = Math.max(input.total_bytes ?? 0, bytes.length);
  const { artifact_id = newArtifactId() } = input;
  if (cap) return capped({ ...cap, size_bytes: total, kind, ...callOf(tool_call_ids), artifact_id });
  const stored = await storeBlob(directory, kept);
  const gap = {
    type: "gap.artifact_capped",
    data: {
      ...{ limit: "artifact", limit_bytes: MAX_ARTIFACT_BYTES, size_bytes: total, kind, artifact_id },
      ...callOf(tool_call_ids),
      message: "Only its beginning and its end are kept.",
    },
  };
  const data = {
    ...{ artifact_id, kind, size_bytes: stored.size, sha256: stored.sha256 },
    ...(summary && { summary }),
    ...(mime && { mime }),
    ...(name && { name }),
    ...placeOf(input),
  };
  const draft = { type: "artifact.created", data };
  return {
    artifact_ids: [artifact_id],
    drafts: input.total_bytes !== undefined || kept !== bytes ? [gap, draft] : [draft],
    effects: [...stored.effects, ...artifactEffects(draft, input)],
  };
}

/** The beginning and the end of a text that is too large, with a line between them that says so. */
function headAndTail(bytes: Buffer): Buffer {
  const half = MAX_ARTIFACT_BYTES / 2 - 100;
  const note = `\n[${bytes.length - 2 * half} bytes left out]\n`;
  return Buffer.concat([bytes.subarray(0, half), Buffer.from(note), bytes.subarray(bytes.length - half)]);
}

/** A change of one file. */
export interface PatchInput extends ArtifactPlace {
  /** Relative to the workspace, with `/` between its parts. */
  path: string;
  /** Undefined: there was no such file. */
  before: Buffer | undefined;
  /** Undefined: there is no such file any more. */
  after: Buffer | undefined;
  /** File type and permissions after the change, such as 0o100644. */
  mode?: number;
  /** The same before the change. Default: `mode`. */
  before_mode?: number;
  operation?: "write" | "append" | "propose" | "delete";
  attribution?: "call" | "shared" | "outside";
  inverse_of?: string;
  /** Default: `proposed` for the operation `propose`, otherwise `applied`. */
  status?: "proposed" | "applied";
  /** Whether the file is known to hold secrets. Then its diff is not kept. */
  secret?: boolean;
  /** Sizes of a file that is too large to keep: then `before` and `after` hold nothing, and only hashes are known. */
  hashes?: { before?: string; after?: string };
}

/** What is known of a new patch, beside its events. */
export interface NewPatch extends NewArtifacts {
  artifact_id: string;
  /** The unified diff, redacted. */
  diff: string;
  summary: string;
  additions: number;
  deletions: number;
}

/**
 * Keeps the change of one file as a patch artifact: the exact bytes before and after, and the diff. The events are
 * `artifact.created` alone, or `gap.artifact_capped` before it if the bytes are too large to keep.
 */
export async function patchArtifact(directory: string, input: PatchInput): Promise<NewPatch> {
  const { path, before, after, redact, tool_call_ids = [], limits, task_id } = input;
  const modes = { beforeMode: input.before_mode ?? input.mode, afterMode: input.mode };
  const hunks = hunksBetween(before, after);
  const exactDiff = diffOf({ path, before, after, ...modes }, hunks);
  const diffText = exactDiff.toString("utf8");
  const shown = input.secret ? `# ${path} holds secrets, so its diff is not kept.\n` : diffText;
  const diff = redact ? redact(shown) : shown;
  const isSecret =
    input.secret === true || diff !== diffText || [before, after].some((bytes) => holdsSecret(bytes, redact));
  const diffBytes = diff === diffText ? exactDiff : Buffer.from(diff);
  const sizes = [before?.length ?? 0, after?.length ?? 0, diffBytes.length];
  const cap = await capOf(limits, task_id, sizes);
  const isKept = !cap && !input.hashes;
  const blobs = isKept ? await storeAll(directory, { before, after, diff: diffBytes }, isSecret) : undefined;
  const artifact_id = newArtifactId();
  const { additions, deletions } = countLines(hunks);
  const existed = before !== undefined || input.hashes?.before !== undefined;
  const exists = after !== undefined || input.hashes?.after !== undefined;
  const summary = summaryOf({ existed, exists, additions, deletions, hunks: hunks.length });
  const operation = input.operation ?? (exists ? "write" : "delete");
  const revertible = isKept && [modes.beforeMode, modes.afterMode].every((mode) => !mode || !refusalOfMode(mode));
  const baseRevision = before ? revisionOf(before) : input.hashes?.before;
  const resultRevision = after ? revisionOf(after) : input.hashes?.after;
  const created = {
    type: "artifact.created",
    data: {
      ...{ artifact_id, kind: "patch", size_bytes: diffBytes.length, summary: `${path}: ${summary}` },
      ...placeOf(input),
      ...(blobs && { sha256: blobs.sha256 }),
      ...{
        mime: "text/x-diff",
        path,
        operation,
        status: input.status ?? (operation === "propose" ? "proposed" : "applied"),
      },
      ...(modes.afterMode !== undefined && { mode: modes.afterMode.toString(8) }),
      ...(modes.beforeMode !== modes.afterMode && { base_mode: (modes.beforeMode ?? 0o100644).toString(8) }),
      before_existed: existed,
      ...(baseRevision !== undefined && { base_revision: baseRevision }),
      ...(resultRevision !== undefined && { result_revision: resultRevision }),
      ...{ additions, deletions, hunks: hunks.length },
      attribution: input.attribution ?? "call",
      ...(!revertible && { revertible: false }),
      ...(input.inverse_of !== undefined && { inverse_of: input.inverse_of }),
    },
  };
  const gap = cap && {
    type: "gap.artifact_capped",
    data: { ...cap, kind: "patch", artifact_id, ...callOf(tool_call_ids), path },
  };
  return {
    artifact_id,
    artifact_ids: [artifact_id],
    drafts: [...(gap ? [gap] : []), created],
    effects: [...(blobs?.effects ?? []), ...artifactEffects(created, input)],
    ...{ diff, summary, additions, deletions },
  };
}

export const newArtifactId: () => string = createUlidSource({ prefix: idPrefixes.artifact });

function placeOf({ tool_call_ids = [], turn_index, group_id }: ArtifactPlace): Record<string, unknown> {
  return {
    ...callOf(tool_call_ids),
    ...(tool_call_ids.length > 1 && { tool_call_ids }),
    ...(turn_index !== undefined && { turn_index }),
    ...(group_id !== undefined && { group_id }),
  };
}

const callOf = ([tool_call_id]: readonly string[]) => (tool_call_id === undefined ? {} : { tool_call_id });

const capped = (data: Record<string, unknown>): NewArtifacts => ({
  artifact_ids: [],
  drafts: [{ type: "gap.artifact_capped", data }],
  effects: [],
});

async function storeAll(
  directory: string,
  { before, after, diff }: { before: Buffer | undefined; after: Buffer | undefined; diff: Buffer },
  secret: boolean,
): Promise<{ sha256: string; effects: Effect[] }> {
  const effects: Effect[] = [];
  for (const bytes of [before, after]) {
    if (bytes) effects.push(...(await storeBlob(directory, bytes, { secret })).effects);
  }
  const stored = await storeBlob(directory, diff);
  return { sha256: stored.sha256, effects: [...effects, ...stored.effects] };
}

function holdsSecret(bytes: Buffer | undefined, redact: ((text: string) => string) | undefined): boolean {
  if (!bytes || !redact) return false;
  const text = bytes.toString("utf8");
  return redact(text) !== text;
}

const isText = (mime = ""): boolean => /^text\/|json|xml/.test(mime);

function summaryOf(change: {
  existed: boolean;
  exists: boolean;
  additions: number;
  deletions: number;
  hunks: number;
}): string {
  const { existed, exists, additions, deletions, hunks } = change;
  if (!existed) return `new file, ${additions} ${additions === 1 ? "line" : "lines"}`;
  if (!exists) return "deleted";
  return `${hunks} ${hunks === 1 ? "hunk" : "hunks"}, +${additions}/-${deletions} ${additions + deletions === 1 ? "line" : "lines"}`;
}
