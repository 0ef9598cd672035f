import type { Log } from "../../log/log.ts";
import { createRedactor } from "../redaction/index.ts";
import { readBeneath } from "./beneath.ts";
import { rootOf } from "./change.ts";
import { diffOf } from "./diff-text.ts";
import { ArtifactError } from "./errors.ts";
import { findArtifact } from "./find.ts";
import { hunksBetween, replaceHunks } from "./hunks.ts";
import { MAX_ARTIFACT_BYTES } from "./limits.ts";
import { isBinary } from "./lines.ts";
import { type ArtifactRow, appliedHunks, detailsOf } from "./record.ts";
import { hashOfRevision, isSecret, readBlob, revisionOf } from "./store.ts";

/** The file of a patch as it is now, compared with what the patch needs. */
export interface CurrentFile {
  path: string;
  exists: boolean;
  is_expected: boolean;
  expected?: string;
  actual?: string;
  diff?: string;
  omitted?: "secret" | "too_large" | "not_kept";
}

/**
 * Reads the file of a patch and says how it differs from what applying or reverting the patch needs. Nothing is written.
 *
 * @throws {ArtifactError}
 * @example
 * const { is_expected, diff } = await currentFile(log, "./runs", "art_01K9ZC0000SP00R00000000000");
 */
export async function currentFile(log: Log, directory: string, artifact_id: string): Promise<CurrentFile> {
  const row = await findArtifact(log, artifact_id);
  if (row.kind !== "patch" || row.path === null) throw new ArtifactError("invalid", `${artifact_id} is not a patch.`);
  const run = await log.run(row.run_id);
  if (!run) throw new ArtifactError("missing", `The run ${row.run_id} is not stored any more.`);
  const { path } = row;
  const now = (await readBeneath(await rootOf(run), path))?.bytes;
  const shared = { path, exists: now !== undefined, ...(now && { actual: revisionOf(now) }) };
  if (detailsOf(row).revertible === false) return { ...shared, is_expected: false, omitted: "not_kept" };
  const expected = await expectedContent(log, directory, row);
  const found = { ...shared, ...(expected && { expected: revisionOf(expected) }) };
  if (found.actual === found.expected) return { ...found, is_expected: true };
  if (isSecret(directory, [row.base_revision, row.result_revision]))
    return { ...found, is_expected: false, omitted: "secret" };
  if ((now?.length ?? 0) > MAX_ARTIFACT_BYTES) return { ...found, is_expected: false, omitted: "too_large" };
  const diff = diffOf({ path, before: expected, after: now }).toString("utf8");
  return { ...found, is_expected: false, diff: createRedactor().redact(diff) };
}

/** The content that the file must have: after an applied patch its result, otherwise what it was before. */
async function expectedContent(log: Log, directory: string, row: ArtifactRow): Promise<Buffer | undefined> {
  const load = (revision: string | null) =>
    revision === null ? undefined : readBlob(log, directory, hashOfRevision(revision));
  const [base, result] = [await load(row.base_revision), await load(row.result_revision)];
  const applied = new Set(appliedHunks(row));
  if (applied.size === 0) return base;
  if (!base || !result || isBinary(base) || isBinary(result)) return result;
  return replaceHunks(base, hunksBetween(base, result), { chosen: applied, applied: new Set(), forward: true });
}
