import { runDiff } from "../../runtime/artifacts/index.ts";
import { findRun } from "../history/find-run.ts";
import { gitSettingsLines, gitSettingsOf } from "../history/git-settings.ts";
import { type ArtifactOptions, withArtifacts } from "../history/with-artifacts.ts";
import type { Io } from "../io.ts";
import { printDiff } from "../output/diff-screen.ts";
import { printJson } from "../output/json.ts";
import { table } from "../output/table.ts";

export interface DiffOptions extends ArtifactOptions {
  through?: string;
  file?: string[];
  stat?: true;
}

/** Shows everything a run changed as one diff. */
export function showDiff(
  typed: string,
  { through, file: files, stat, ...options }: DiffOptions,
  io: Io,
): Promise<void> {
  return withArtifacts(options, io, async ({ log, directory }) => {
    const run = await findRun(log, typed);
    const { diff, ...found } = await runDiff(log, directory, run, { through, files });
    const git_settings = await gitSettingsOf(log, run.run_id);
    const flagged = git_settings.length > 0 && { git_settings };
    for (const line of gitSettingsLines({ files: git_settings })) io.stderr.write(`${line}\n`);
    if (options.json) printJson(io.stdout, { run_id: run.run_id, ...found, ...flagged, diff: diff.toString("utf8") });
    else if (stat) {
      const rows = found.files.map(({ path, additions, deletions }) => [`+${additions}`, `-${deletions}`, path]);
      io.stdout.write(rows.length === 0 ? "No changes.\n" : table(rows));
    } else if (diff.length > 0) printDiff(io.stdout, diff);
    else if ((io.stdout as { isTTY?: boolean }).isTTY) io.stdout.write("No changes.\n");
  });
}
