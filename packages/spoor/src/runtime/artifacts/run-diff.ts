import { readEnvelopes } from "../../log/envelopes.ts";
import type { Log } from "../../log/log.ts";
import type { StoredRun } from "../../log/records.ts";
import { diffOf } from "./diff-text.ts";
import { ArtifactError } from "./errors.ts";
import { countLines, HunkMismatch, hunksBetween, replaceHunks } from "./hunks.ts";
import { hashOfRevision, isSecret, readBlob } from "./store.ts";

/** Everything a run changed, as one diff. */
export interface RunDiff {
  /** What `git apply` takes. Lines that begin with `#` say what cannot be applied. */
  diff: Buffer;
  files: { path: string; additions: number; deletions: number }[];
  /** Files whose changes hold secrets: their part is redacted and cannot be applied. */
  redacted: string[];
  /** Files whose bytes were too large to keep. */
  missing: string[];
}

/** Which changes of a run to sum up. */
export interface RunDiffOptions {
  /** Only changes before this checkpoint: its id, or the sequence of any event. */
  through?: string | undefined;
  files?: readonly string[] | undefined;
  /** Only these patches, such as those of one turn. */
  artifact_ids?: readonly string[] | undefined;
}

/**
 * Sums up the patches of a run: for each file the difference between before the first and after the last change. Changes
 * from outside are left out; where one came in between, the changes before and after it follow each other.
 *
 * @throws {ArtifactError} `not_found` if the run has no such checkpoint.
 * @example
 * const { diff, files } = await runDiff(log, "./runs", { run_id });
 * console.log(files.length, diff.toString());
 */
export async function runDiff(
  log: Log,
  directory: string,
  { run_id }: Pick<StoredRun, "run_id">,
  { through, files, artifact_ids }: RunDiffOptions = {},
): Promise<RunDiff> {
  const load = (revision: unknown): Promise<Buffer | undefined> =>
    typeof revision === "string" ? readBlob(log, directory, hashOfRevision(revision)) : Promise.resolve(undefined);
  const patches = await patchesThrough(log, run_id, through);
  const paths = new Map<string, Segment[]>();
  const diff: RunDiff = { diff: Buffer.alloc(0), files: [], redacted: [], missing: [] };
  const parts: Buffer[] = [];
  for (const patch of patches) {
    const path = String(patch.data.path ?? "");
    if (files && !files.includes(path)) continue;
    if (artifact_ids && !artifact_ids.includes(String(patch.data.artifact_id))) continue;
    if (patch.data.revertible === false) {
      if (!diff.missing.includes(path)) diff.missing.push(path);
      continue;
    }
    if (isSecret(directory, [patch.data.base_revision, patch.data.result_revision]) && !diff.redacted.includes(path))
      diff.redacted.push(path);
    const segments = paths.get(path) ?? [];
    paths.set(path, segments);
    await extend(segments, patch, load);
  }
  for (const path of diff.missing) parts.push(note(`${path}: too large to keep, so its changes are not here`));
  for (const [path, segments] of [...paths].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const total = { path, additions: 0, deletions: 0 };
    const isRedacted = diff.redacted.includes(path);
    if (isRedacted) parts.push(note(`${path}: secrets are redacted here, so this part cannot be applied`));
    for (const { before, after, beforeMode, afterMode } of segments) {
      const hunks = hunksBetween(before, after);
      const counted = countLines(hunks);
      total.additions += counted.additions;
      total.deletions += counted.deletions;
      if (!isRedacted) parts.push(diffOf({ path, before, after, beforeMode, afterMode }, hunks));
    }
    if (isRedacted) parts.push(...(await storedDiffs(log, directory, patches, path)));
    if (
      segments.some(({ before, after, beforeMode, afterMode }) => !isEqual(before, after) || beforeMode !== afterMode)
    )
      diff.files.push(total);
  }
  return { ...diff, diff: Buffer.concat(parts) };
}

/** A file before and after changes that follow each other without one from outside between them. */
interface Segment {
  before: Buffer | undefined;
  after: Buffer | undefined;
  beforeMode: number | undefined;
  afterMode: number | undefined;
}

type Load = (revision: unknown) => Promise<Buffer | undefined>;

/** A patch at the moment it was applied, whole or in part. */
interface AppliedPatch {
  data: Record<string, unknown>;
  hunks?: { before: readonly number[]; after: readonly number[] };
}

async function extend(segments: Segment[], { data, hunks }: AppliedPatch, load: Load): Promise<void> {
  const [base, result] = [await load(data.base_revision), await load(data.result_revision)];
  const last = segments.at(-1);
  const afterMode = modeOf(data.mode);
  const beforeMode = modeOf(data.base_mode) ?? afterMode;
  if (hunks) {
    const from = last?.after ?? base ?? Buffer.alloc(0);
    const chosen = new Set(hunks.after.filter((hunk) => !hunks.before.includes(hunk)));
    const all = hunksBetween(base, result);
    const apply = (content: Buffer, applied: readonly number[]) =>
      replaceHunks(content, all, { chosen, applied: new Set(applied), forward: true });
    try {
      const after = apply(from, hunks.before);
      if (last) last.after = after;
      else segments.push({ before: base, after, beforeMode, afterMode: beforeMode });
    } catch (error) {
      if (!(error instanceof HunkMismatch)) throw error;
      segments.push({ before: base, after: apply(base ?? Buffer.alloc(0), []), beforeMode, afterMode: beforeMode });
    }
    return;
  }
  if (last && isEqual(last.after, base)) Object.assign(last, { after: result, afterMode });
  else segments.push({ before: base, after: result, beforeMode, afterMode });
}

const isEqual = (one: Buffer | undefined, other: Buffer | undefined): boolean =>
  one === undefined || other === undefined ? one === other : one.equals(other);

const modeOf = (mode: unknown): number | undefined => (typeof mode === "string" ? Number.parseInt(mode, 8) : undefined);

/** The patches of a run in the order in which they were applied, up to a checkpoint. */
async function patchesThrough(log: Log, run_id: string, through: string | undefined): Promise<AppliedPatch[]> {
  const created = new Map<string, Record<string, unknown>>();
  const applied: AppliedPatch[] = [];
  const byHunks = new Set<string>();
  for await (const { type, data, sequence } of readEnvelopes(log, { run_id, match: isNeeded })) {
    if (through !== undefined && /^\d+$/.test(through) && sequence > Number(through)) return applied;
    const id = String(data.artifact_id);
    if (type === "artifact.created" && data.kind === "patch" && data.attribution !== "outside") {
      created.set(id, data);
      if (data.status === "applied") applied.push({ data });
    }
    const patch = created.get(id);
    if (type === "artifact.updated" && patch) {
      const { field, old_value, new_value, hunks } = data;
      const isHunks = field === "applied_hunks" && isLonger(new_value, old_value);
      if (field === "status" && new_value === "applied" && hunks === undefined && !byHunks.delete(id))
        applied.push({ data: patch });
      if (isHunks)
        applied.push({ data: patch, hunks: { before: old_value as number[], after: new_value as number[] } });
      // A patch that was split before tells of its hunks first, and then of its status.
      if (isHunks && hunks === undefined) byHunks.add(id);
    }
    if (through !== undefined && data.checkpoint_id === through) return applied;
  }
  if (through !== undefined && !/^\d+$/.test(through))
    throw new ArtifactError("not_found", `${run_id} has no checkpoint ${JSON.stringify(through)}.`);
  return applied;
}

const isNeeded = (type: string): boolean =>
  ["artifact.created", "artifact.updated", "run.checkpoint_saved", "session.checkpoint_saved"].includes(type) ||
  type.startsWith("gap.");

const isLonger = (one: unknown, other: unknown): boolean =>
  Array.isArray(one) && Array.isArray(other) && one.length > other.length;

/** The redacted diffs that were stored with the patches of a file. */
async function storedDiffs(
  log: Log,
  directory: string,
  patches: readonly AppliedPatch[],
  path: string,
): Promise<Buffer[]> {
  const own = patches.filter(({ data }) => data.path === path && typeof data.sha256 === "string");
  return Promise.all(own.map(({ data }) => readBlob(log, directory, String(data.sha256))));
}

const note = (text: string): Buffer => Buffer.from(`# ${text.replaceAll(/[\r\n]/g, " ")}\n`);
