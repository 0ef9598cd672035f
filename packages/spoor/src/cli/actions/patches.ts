import { type ArtifactRow, artifactJson, artifactsOfRun } from "../../runtime/artifacts/index.ts";
import { findRun } from "../history/find-run.ts";
import { type ArtifactOptions, withArtifacts } from "../history/with-artifacts.ts";
import type { Io } from "../io.ts";
import { printJson } from "../output/json.ts";
import { styleOf } from "../output/style.ts";
import { table } from "../output/table.ts";

export interface PatchesOptions extends ArtifactOptions {
  status?: string;
}

/** Lists the patches of a run. */
export function listPatches(typed: string, { status, ...options }: PatchesOptions, io: Io): Promise<void> {
  return withArtifacts(options, io, async ({ log }) => {
    const { run_id } = await findRun(log, typed);
    const rows = (await artifactsOfRun(log, run_id)).filter(
      (row) => row.kind === "patch" && (status === undefined || row.status === status),
    );
    if (options.json) for (const row of rows) printJson(io.stdout, artifactJson(row));
    else io.stdout.write(rows.length === 0 ? "No patches.\n" : patchTable(rows, io));
  });
}

/** The patches in columns, for people. */
export const patchTable = (rows: readonly ArtifactRow[], io: Io): string =>
  table(
    [
      ["PATCH", "STATUS", "HUNKS", "LINES", "FILE", ""],
      ...rows.map((row) => {
        const { stats, applied_hunks, attribution, inverse_of } = artifactJson(row);
        const hunks = stats?.hunks ?? 0;
        const isPart = row.status === "applied" && applied_hunks !== undefined && applied_hunks.length < hunks;
        const notes = [
          inverse_of && "a revert",
          attribution !== "call" && attribution,
          isPart && `hunks ${applied_hunks.join(", ")}`,
        ];
        return [
          ...[row.artifact_id, row.status ?? "", String(hunks), `+${row.additions ?? 0}/-${row.deletions ?? 0}`],
          ...[row.path ?? "", notes.filter(Boolean).join(", ")],
        ];
      }),
    ],
    styleOf(io.stdout),
  );
