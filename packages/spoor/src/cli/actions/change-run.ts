import path from "node:path";
import { type ArtifactRow, applyRun, artifactJson, revertRun } from "../../runtime/artifacts/index.ts";
import { findRun } from "../history/find-run.ts";
import { type ArtifactOptions, OPERATOR, withArtifacts } from "../history/with-artifacts.ts";
import type { Io } from "../io.ts";
import { printJson } from "../output/json.ts";
import { layout, type Part } from "../output/line.ts";
import { plural } from "../output/plural.ts";
import { styleOf } from "../output/style.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { changes } from "../render/call-lines.ts";

export interface ChangeRunOptions extends ArtifactOptions {
  file?: string[];
  to?: string;
  reason?: string;
}

/** Applies or reverts the patches of a run. */
export function changeRun(verb: "apply" | "revert", typed: string, options: ChangeRunOptions, io: Io): Promise<void> {
  const { file, to, reason, json } = options;
  return withArtifacts(options, io, async (context) => {
    const run = await findRun(context.log, typed);
    const request = {
      ...{ run, by: OPERATOR },
      ...(file && { files: file }),
      ...(reason !== undefined && { reason }),
    };
    const changed =
      verb === "revert"
        ? await revertRun(context, request)
        : await applyRun(context, { ...request, ...(to !== undefined && { to: path.resolve(to) }) });
    if (json) for (const row of changed) printJson(io.stdout, artifactJson(row));
    else if (changed.length === 0) io.stdout.write(`${terminalSafe(run.run_id)} has nothing to ${verb}.\n`);
    else {
      const style = styleOf(io.stdout);
      for (const row of changed) io.stdout.write(`${layout(lineOf(row), style)}\n`);
      const where = to === undefined ? "" : ` to ${terminalSafe(to)}`;
      io.stdout.write(`${verb === "apply" ? "Applied" : "Reverted"} ${plural(changed.length, "change")}${where}.\n`);
    }
  });
}

/** What became of a file: `✓ applied src/calc.js +1 -1`. */
function lineOf({ path: file, status, additions, deletions, artifact_id }: ArtifactRow): Part[] {
  const counted = { additions: additions ?? 0, deletions: deletions ?? 0 };
  return [
    { text: "✓", role: "green" },
    { text: status ?? "" },
    { text: file ?? "", role: "strong", shrinks: "path" },
    ...changes([counted]),
    { text: artifact_id, role: "dim", leaves: 1 },
  ];
}
