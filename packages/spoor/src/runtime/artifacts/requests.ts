import type { StoredRun } from "../../log/records.ts";
import { createRedactor } from "../redaction/index.ts";
import { refuseBusy } from "./busy.ts";
import { type ChangeContext, changePatches, rootOf } from "./change.ts";
import { type Asked, updates } from "./change-events.ts";
import { ArtifactError } from "./errors.ts";
import { artifactsOfRun, findArtifact } from "./find.ts";
import { appendEvents, requestEffects } from "./journal.ts";
import type { Choice, PatchAction } from "./plan.ts";
import { type ArtifactRow, detailsOf } from "./record.ts";
import { recoverPending } from "./recover.ts";

/** What to do with one patch: all of it, or some of its hunks. */
export interface PatchChange extends Asked {
  artifact_id: string;
  /** Only these hunks, by their number from 0. */
  hunks?: readonly number[];
}

/**
 * Writes a patch that is proposed or was reverted, or some of its hunks, to its file. Returns the artifact as it is then.
 *
 * @throws {ArtifactError} `conflict` if the file is not as the patch needs it. Nothing was written then.
 * @example
 * await applyPatch({ log, directory: "./runs" }, { artifact_id: "art_01K9ZC0000SP00R00000000000", by: "ann", hunks: [0] });
 */
export const applyPatch = (context: ChangeContext, request: PatchChange): Promise<ArtifactRow> =>
  changeOne(context, "apply", request);

/**
 * Takes an applied patch, or some of its hunks, back out of its file. Returns the artifact as it is then.
 *
 * @throws {ArtifactError} `conflict` if the file was changed since. Nothing was written then.
 * @example
 * await revertPatch({ log, directory: "./runs" }, { artifact_id: "art_01K9ZC0000SP00R00000000000", by: "ann" });
 */
export const revertPatch = (context: ChangeContext, request: PatchChange): Promise<ArtifactRow> =>
  changeOne(context, "revert", request);

/**
 * Decides that a proposed patch is not applied.
 *
 * @example
 * await rejectPatch({ log, directory: "./runs" }, { artifact_id: "art_01K9ZC0000SP00R00000000000", by: "ann" });
 */
export async function rejectPatch(
  context: ChangeContext,
  { artifact_id, ...asked }: PatchChange,
): Promise<ArtifactRow> {
  const { log, now = Date.now } = context;
  const row = await settled(context, await findArtifact(log, artifact_id));
  if (row.kind !== "patch") throw new ArtifactError("invalid", `${artifact_id} is not a patch.`);
  if (row.status !== "proposed")
    throw new ArtifactError("wrong_status", `${artifact_id} is ${row.status}, so it cannot be rejected.`);
  const drafts = updates(row, { status: "rejected" }, asked, new Date(now()).toISOString());
  const effects = requestEffects(asked.request, [artifact_id], now());
  await appendEvents(log, row.run_id, drafts, { redactor: createRedactor(), now: now(), effects });
  return findArtifact(log, artifact_id);
}

/** A request about the patches of a run. */
export interface RunRequest extends Asked {
  run: Pick<StoredRun, "run_id">;
  /** Only patches of these files. */
  files?: readonly string[];
  /** Only these patches. */
  artifact_ids?: readonly string[];
}

/**
 * Writes all proposed patches of a run to its workspace, and reverted ones that are named. With `to`, writes everything the
 * run changed to another folder.
 *
 * @example
 * await applyRun({ log, directory: "./runs" }, { run: { run_id }, by: "ann", to: "./other" });
 */
export async function applyRun(context: ChangeContext, request: RunRequest & { to?: string }): Promise<ArtifactRow[]> {
  const isOut = (row: ArtifactRow) =>
    row.status === "proposed" || (row.status === "reverted" && request.artifact_ids !== undefined && !isInverse(row));
  const wanted = await patchesOf(context, request, request.to === undefined ? isOut : wasApplied);
  return changeAll(context, "apply", wanted, request);
}

/**
 * Takes all applied patches of a run back, the newest first.
 *
 * @example
 * await revertRun({ log, directory: "./runs" }, { run: { run_id }, by: "ann", files: ["src/a.ts"] });
 */
export async function revertRun(context: ChangeContext, request: RunRequest): Promise<ArtifactRow[]> {
  const wanted = await patchesOf(context, request, (row) => row.status === "applied" && !isInverse(row));
  return changeAll(context, "revert", wanted.reverse(), request);
}

/** Whether the run changed the file by this patch, and not somebody else. */
const wasApplied = ({ status, attribution }: ArtifactRow): boolean =>
  attribution !== "outside" && (status === "applied" || status === "reverted");

const isInverse = (row: ArtifactRow): boolean => detailsOf(row).inverse_of !== undefined;

async function changeOne(context: ChangeContext, action: PatchAction, request: PatchChange): Promise<ArtifactRow> {
  const { artifact_id, hunks, ...asked } = request;
  const row = await settled(context, await findArtifact(context.log, artifact_id));
  const [changed] = await changeAll(context, action, [{ row, ...(hunks && { hunks }) }], { run: row, ...asked });
  return changed as ArtifactRow;
}

async function changeAll(
  context: ChangeContext,
  action: PatchAction,
  choices: readonly Choice[],
  request: RunRequest & { to?: string },
): Promise<ArtifactRow[]> {
  if (choices.length === 0) return [];
  const { by, reason, to, request: key } = request;
  const { run_id } = request.run;
  // The caller's row may be old.
  const run = await context.log.run(run_id);
  if (!run) throw new ArtifactError("missing", `The run ${run_id} is not stored any more.`);
  await refuseBusy(context.log, run, await rootOf(run, to));
  await changePatches(context, {
    ...{ run, action, choices, by },
    ...(reason !== undefined && { reason }),
    ...(to !== undefined && { to }),
    ...(key && { request: key }),
  });
  return Promise.all(choices.map(({ row }) => findArtifact(context.log, row.artifact_id)));
}

async function patchesOf(
  context: ChangeContext,
  { run, files, artifact_ids }: RunRequest,
  wants: (row: ArtifactRow) => boolean,
): Promise<Choice[]> {
  const all = (await artifactsOfRun(context.log, run.run_id)).filter(({ kind }) => kind === "patch");
  const unknown = files?.find((file) => !all.some(({ path }) => path === file));
  if (unknown !== undefined)
    throw new ArtifactError("invalid", `${run.run_id} did not change ${JSON.stringify(unknown)}.`);
  const chosen: Choice[] = [];
  for (const row of all) {
    if (row.attribution === "outside" || !wants(row) || files?.includes(row.path ?? "") === false) continue;
    if (artifact_ids?.includes(row.artifact_id) === false) continue;
    chosen.push({ row: await settled(context, row) });
  }
  return chosen;
}

/** Settles a change of this patch that was cut off, so that it can be changed again. */
async function settled({ log, directory }: ChangeContext, row: ArtifactRow): Promise<ArtifactRow> {
  if (row.pending === null) return row;
  await recoverPending(log, directory);
  const now = await findArtifact(log, row.artifact_id);
  if (now.pending !== null)
    throw new ArtifactError("wrong_status", `${row.artifact_id} is being changed by another process.`);
  return now;
}
