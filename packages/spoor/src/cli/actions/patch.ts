import {
  type ArtifactRow,
  applyPatch,
  applyRun,
  artifactJson,
  type ChangeContext,
  readBlob,
  rejectPatch,
  revertPatch,
  revertRun,
} from "../../runtime/artifacts/index.ts";
import { ExitError } from "../exit-error.ts";
import { findPatches } from "../history/find-patch.ts";
import { type ArtifactOptions, OPERATOR, withArtifacts } from "../history/with-artifacts.ts";
import type { Io } from "../io.ts";
import { diffText } from "../output/diff-screen.ts";
import { printJson } from "../output/json.ts";
import { styleOf } from "../output/style.ts";
import { patchTable } from "./patches.ts";

export interface PatchOptions extends ArtifactOptions {
  hunk?: number[];
  file?: string[];
  reason?: string;
}

type Verb = "show" | "apply" | "reject" | "revert";

/** Shows, applies, rejects or reverts the patch that a person named. */
export function actOnPatch(verb: Verb, typed: string, options: PatchOptions, io: Io): Promise<void> {
  return withArtifacts(options, io, async (context) => {
    const rows = await findPatches(context.log, typed, options.file);
    if (options.hunk && rows.length > 1)
      throw new ExitError(2, "--hunk chooses hunks of one patch. Name one patch, or choose its file with --file.");
    if (verb === "show") for (const row of rows) await show(context, row, options, io);
    else {
      const changed = await change(context, verb, rows, options);
      if (options.json) for (const row of changed) printJson(io.stdout, artifactJson(row));
      else io.stdout.write(patchTable(changed, io));
    }
  });
}

async function show({ log, directory }: ChangeContext, row: ArtifactRow, options: PatchOptions, io: Io): Promise<void> {
  const stored = row.sha256 === null ? Buffer.alloc(0) : await readBlob(log, directory, row.sha256);
  const diff = options.hunk ? onlyHunks(stored, options.hunk, row) : stored;
  if (options.json) printJson(io.stdout, { ...artifactJson(row), diff: diff.toString("utf8") });
  else {
    if (!(io.stdout as { isTTY?: boolean }).isTTY) io.stdout.write(diff);
    else io.stdout.write(`${patchTable([row], io)}\n${diffText(diff, styleOf(io.stdout), { numbered: true })}`);
  }
}

/** The head of a diff and some of its hunks. */
function onlyHunks(diff: Buffer, wanted: readonly number[], { artifact_id }: ArtifactRow): Buffer {
  const [head = "", ...hunks] = diff.toString("latin1").split(/^(?=@@ )/m);
  const missing = wanted.find((hunk) => hunks[hunk] === undefined);
  if (missing !== undefined)
    throw new ExitError(1, `${artifact_id} has ${hunks.length} hunks, so there is no hunk ${missing}.`);
  return Buffer.from(head + wanted.map((hunk) => hunks[hunk]).join(""), "latin1");
}

async function change(
  context: ChangeContext,
  verb: Exclude<Verb, "show">,
  rows: readonly ArtifactRow[],
  { hunk, reason }: PatchOptions,
): Promise<ArtifactRow[]> {
  const asked = { by: OPERATOR, ...(reason !== undefined && { reason }) };
  const [only] = rows;
  if (verb === "reject") {
    const rejected: ArtifactRow[] = [];
    for (const { artifact_id } of rows) rejected.push(await rejectPatch(context, { artifact_id, ...asked }));
    return rejected;
  }
  if (rows.length === 1 && only) {
    const request = { artifact_id: only.artifact_id, ...asked, ...(hunk && { hunks: hunk }) };
    return [await (verb === "apply" ? applyPatch : revertPatch)(context, request)];
  }
  const run = await context.log.run(only?.run_id ?? "");
  if (!run) throw new ExitError(1, "The run of these patches is not recorded any more.");
  const artifact_ids = rows.map(({ artifact_id }) => artifact_id);
  return (verb === "apply" ? applyRun : revertRun)(context, { run, artifact_ids, ...asked });
}
