import type { FoundFile } from "./beneath.ts";
import { ArtifactError, type FileConflict, PatchRefused } from "./errors.ts";
import { type Hunk, HunkMismatch, hunksBetween, replaceHunks } from "./hunks.ts";
import { isBinary } from "./lines.ts";
import { refusalOfMode, refusalOfPath } from "./patch-path.ts";
import { type ArtifactRow, appliedHunks, detailsOf, modesOf } from "./record.ts";
import { hashOfRevision, revisionOf } from "./store.ts";

export type PatchAction = "apply" | "revert";

/** A patch, or some of its hunks. */
export interface Choice {
  row: ArtifactRow;
  hunks?: readonly number[];
}

/** A file as it is or will be; undefined if there is none. */
export type FileState = FoundFile | undefined;

/** What happens to one file. */
export interface FileEdit {
  path: string;
  before: FileState;
  after: FileState;
}

/** What happens to one patch. */
export interface PatchStep extends FileEdit {
  row: ArtifactRow;
  /** Set if only some hunks were chosen. */
  chosen?: readonly number[];
  /** The hunks that the file has afterwards. */
  applied: readonly number[];
  status: "applied" | "reverted";
}

export interface ChangePlan {
  steps: PatchStep[];
  /** One for each file that changes. */
  edits: FileEdit[];
}

export interface PlanInputs {
  /** Reads a file of the workspace. */
  read(path: string): Promise<FileState>;
  /** Reads a stored content. */
  load(sha256: string): Promise<Buffer>;
  /** Checks nothing about the status of the patches: they are applied to another folder than their own. */
  elsewhere?: boolean;
}

/**
 * Decides what applying or reverting patches writes, without writing. Patches are taken in the given order; a later one
 * sees the file as the earlier ones left it.
 *
 * @throws {ArtifactError} `conflict` with every file that is not as a patch needs it.
 */
export async function planChange(
  action: PatchAction,
  choices: readonly Choice[],
  inputs: PlanInputs,
): Promise<ChangePlan> {
  const files = new Map<string, { first: FileState; now: FileState }>();
  const steps: PatchStep[] = [];
  const conflicts: FileConflict[] = [];
  for (const choice of choices) {
    checkChoice(action, choice, inputs.elsewhere === true);
    const path = choice.row.path ?? "";
    let file = files.get(path);
    if (!file) {
      const found = await inputs.read(path);
      file = { first: found, now: found };
      files.set(path, file);
    }
    const step = await stepOf(action, choice, file.now, inputs);
    if ("conflict" in step) conflicts.push(step.conflict);
    else {
      file.now = step.after;
      steps.push(step);
    }
  }
  if (conflicts.length > 0) throw conflictError(action, conflicts);
  const edits = [...files]
    .map(([path, { first, now }]) => ({ path, before: first, after: now }))
    .filter(({ before, after }) => !isSame(before, after));
  return { steps, edits };
}

export const isSame = (one: FileState, other: FileState): boolean =>
  one === undefined || other === undefined
    ? one === other
    : one.bytes.equals(other.bytes) && (one.mode & 0o777) === (other.mode & 0o777);

export function conflictError(action: PatchAction, conflicts: readonly FileConflict[]): ArtifactError {
  const names = [...new Set(conflicts.map(({ path }) => JSON.stringify(path)))];
  const what =
    names.length === 1 ? `${names[0]} is` : `${names.slice(0, 5).join(", ")}${names.length > 5 ? ", …" : ""} are`;
  return new ArtifactError(
    "conflict",
    `The patch cannot be ${action === "apply" ? "applied" : "reverted"}: ${what} not as the patch left or found it.`,
    conflicts,
  );
}

function checkChoice(action: PatchAction, { row, hunks }: Choice, elsewhere: boolean): void {
  const { artifact_id, status, path, kind } = row;
  if (kind !== "patch" || path === null) throw new ArtifactError("invalid", `${artifact_id} is not a patch.`);
  const { revertible = true, hunks: count = 0 } = detailsOf(row);
  const refusal = refusalOfPath(path);
  if (refusal !== undefined) throw new PatchRefused(path, refusal);
  const { before, after } = modesOf(row);
  for (const mode of [before, after]) {
    const why = mode === undefined ? undefined : refusalOfMode(mode);
    if (why !== undefined) throw new PatchRefused(path, why);
  }
  if (!revertible) throw new ArtifactError("not_revertible", `The bytes of ${JSON.stringify(path)} were not kept.`);
  const wrong = hunks?.find((hunk) => !Number.isInteger(hunk) || hunk < 0 || hunk >= count);
  if (wrong !== undefined || hunks?.length === 0)
    throw new ArtifactError("invalid", `${artifact_id} has the hunks 0 to ${count - 1}, not ${wrong ?? "none"}.`);
  if (elsewhere) return;
  const done = appliedHunks(row);
  const isPartly = status === "applied" && done.length < count;
  const isOut = status === "proposed" || status === "reverted";
  const fits = action === "revert" ? status === "applied" : isOut || (isPartly && hunks !== undefined);
  if (!fits) throw new ArtifactError("wrong_status", `${artifact_id} is ${status}, so it cannot be ${pastOf[action]}.`);
  const useless = hunks?.find((hunk) => done.includes(hunk) === (action === "apply"));
  if (useless !== undefined)
    throw new ArtifactError(
      "wrong_status",
      `Hunk ${useless} of ${artifact_id} is ${action === "apply" ? "applied already" : "not applied"}.`,
    );
}

const pastOf = { apply: "applied", revert: "reverted" } as const;

async function stepOf(
  action: PatchAction,
  { row, hunks: chosen }: Choice,
  now: FileState,
  inputs: PlanInputs,
): Promise<PatchStep | { conflict: FileConflict }> {
  const load = async (revision: string | null) =>
    revision === null ? undefined : inputs.load(hashOfRevision(revision));
  const [base, result] = [await load(row.base_revision), await load(row.result_revision)];
  const path = row.path ?? "";
  const forward = action === "apply";
  const [from, to] = forward ? [base, result] : [result, base];
  const modes = modesOf(row);
  const mode = modeAfter(now, forward ? modes : { before: modes.after, after: modes.before });
  const done = inputs.elsewhere ? (forward ? [] : allOf(row)) : appliedHunks(row);
  const isPartial = done.length > 0 && done.length < allOf(row).length;
  const canSplit = base && result && !isBinary(base) && !isBinary(result);
  if ((chosen !== undefined || isPartial) && canSplit) {
    const hunks = hunksBetween(base, result);
    const wanted = chosen ?? (forward ? allOf(row).filter((hunk) => !done.includes(hunk)) : done);
    const conflict = { path, ...revisions(forward ? row.base_revision : row.result_revision, now) };
    if (!now) return { conflict };
    try {
      const bytes = replaceHunks(now.bytes, hunks, { chosen: new Set(wanted), applied: new Set(done), forward });
      const left = forward ? [...done, ...wanted].sort((a, b) => a - b) : done.filter((hunk) => !wanted.includes(hunk));
      const isWhole = left.length === (forward ? hunks.length : 0);
      // The mode belongs to the whole patch.
      const after = { bytes, mode: isWhole ? mode : now.mode };
      return {
        row,
        path,
        before: now,
        after,
        chosen: wanted,
        applied: left,
        status: left.length > 0 ? "applied" : "reverted",
      };
    } catch (error) {
      if (error instanceof HunkMismatch) return { conflict: { ...conflict, hunk: error.hunk } };
      throw error;
    }
  }
  const isExpected = from === undefined ? now === undefined : now?.bytes.equals(from) === true;
  if (!isExpected) {
    const hunk = now && canSplit ? firstMismatch(now.bytes, hunksBetween(base, result), forward) : undefined;
    const conflict = { path, ...revisions(forward ? row.base_revision : row.result_revision, now) };
    return { conflict: { ...conflict, ...(hunk !== undefined && { hunk }) } };
  }
  const after = to && { bytes: to, mode };
  return {
    row,
    path,
    before: now,
    after,
    applied: forward ? allOf(row) : [],
    status: forward ? "applied" : "reverted",
  };
}

/** The first hunk that does not fit; undefined if only other places of the file differ. */
function firstMismatch(content: Buffer, hunks: readonly Hunk[], forward: boolean): number | undefined {
  const all = new Set(hunks.keys());
  try {
    replaceHunks(content, hunks, { chosen: all, applied: forward ? new Set() : all, forward });
    return undefined;
  } catch (error) {
    if (error instanceof HunkMismatch) return error.hunk;
    throw error;
  }
}

const allOf = (row: ArtifactRow): number[] => Array.from({ length: detailsOf(row).hunks ?? 0 }, (_, index) => index);

const revisions = (expected: string | null, now: FileState) => ({
  ...(expected !== null && { expected }),
  ...(now && { actual: revisionOf(now.bytes) }),
});

/** A patch that did not change the mode keeps the file's present one. */
function modeAfter(
  now: FileState,
  { before, after }: { before: number | undefined; after: number | undefined },
): number {
  if (now && before === after) return now.mode;
  return after ?? now?.mode ?? 0o100644;
}
