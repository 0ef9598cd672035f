import path from "node:path";
import { createRunFold } from "@spoor/protocol";
import { readEnvelopes } from "../../log/envelopes.ts";
import type { Log } from "../../log/log.ts";
import { type ArtifactRow, artifactJson, artifactsOfRun, runDiff } from "../../runtime/artifacts/index.ts";
import { ExitError } from "../exit-error.ts";
import { findRun } from "../history/find-run.ts";
import { gitSettingsLines, gitSettingsOf } from "../history/git-settings.ts";
import { type ArtifactOptions, withArtifacts } from "../history/with-artifacts.ts";
import type { Io } from "../io.ts";
import { diffText } from "../output/diff-screen.ts";
import { printJson } from "../output/json.ts";
import { layout, type Part } from "../output/line.ts";
import { page } from "../output/pager.ts";
import { type Style, styleOf } from "../output/style.ts";
import { verbOfKind } from "../render/call.ts";
import { changes, factsOf } from "../render/call-lines.ts";

export interface DiffOptions extends ArtifactOptions {
  through?: string;
  turn?: number;
  file?: string[];
  stat?: true;
}

/** Shows everything a run changed as one diff. */
export function showDiff(typed: string, paths: readonly string[], given: DiffOptions, io: Io): Promise<void> {
  const { through, turn, file = [], stat, ...options } = given;
  return withArtifacts(options, io, async ({ log, directory }) => {
    const run = await findRun(log, typed);
    const { run_id } = run;
    const isTerminal = (io.stdout as { isTTY?: boolean }).isTTY === true;
    const rows = (await artifactsOfRun(log, run_id)).filter(({ kind }) => kind === "patch");
    const origins = turn !== undefined || isTerminal ? await originsOf(log, run_id, rows) : [];
    const ofTurn = turn === undefined ? undefined : origins.filter((origin) => origin.turn === turn);
    if (ofTurn?.length === 0) throw new ExitError(1, noChanges(turn ?? 0, origins));
    const wanted = paths.flatMap((each) => namesOf(each, run.workspace_path));
    const files = [...file, ...rows.flatMap(({ path }) => (path !== null && isBelow(path, wanted) ? [path] : []))];
    if (paths.length > 0 && files.length === 0)
      throw new ExitError(1, `The run changed nothing in ${paths.join(", ")}. \`spoor diff --stat\` lists its files.`);
    const { diff, ...found } = await runDiff(log, directory, run, {
      through,
      ...(files.length > 0 && { files }),
      ...(ofTurn && { artifact_ids: ofTurn.map(({ row }) => row.artifact_id) }),
    });
    const git_settings = await gitSettingsOf(log, run_id);
    const flagged = git_settings.length > 0 && { git_settings };
    for (const line of gitSettingsLines({ files: git_settings })) io.stderr.write(`${line}\n`);
    if (options.json) printJson(io.stdout, { run_id, ...found, ...flagged, diff: diff.toString("utf8") });
    else if (stat) {
      io.stdout.write(found.files.length === 0 ? "No changes.\n" : statText(found.files, styleOf(io.stdout)));
    } else if (!isTerminal) io.stdout.write(diff);
    else if (diff.length === 0) io.stdout.write("No changes.\n");
    else {
      const headOf = (path: string) => fileHead(path, found.files, origins);
      await page(diffText(diff, styleOf(io.stdout), { headOf }), io);
    }
  });
}

interface FileCounts {
  path: string;
  additions: number;
  deletions: number;
}

/** A line for each file: `+1  -1  src/calc.js`. */
function statText(files: readonly FileCounts[], style: Style): string {
  const columns = (count: (file: FileCounts) => string) => Math.max(...files.map((file) => count(file).length));
  const [added, removed] = [columns(({ additions }) => `+${additions}`), columns(({ deletions }) => `-${deletions}`)];
  const lineOf = ({ path, additions, deletions }: FileCounts): Part[] => [
    { text: `+${additions}`.padEnd(added), role: "green" },
    { text: `-${deletions}`.padEnd(removed), role: "red", join: "  " },
    { text: path, join: "  ", shrinks: "path" },
  ];
  return files.map((file) => `${layout(lineOf(file), style)}\n`).join("");
}

/** Which turn and which call made a patch. */
interface Origin {
  row: ArtifactRow;
  turn: number | undefined;
  verb: string | undefined;
}

async function originsOf(log: Log, run_id: string, rows: readonly ArtifactRow[]): Promise<Origin[]> {
  const fold = createRunFold();
  for await (const envelope of readEnvelopes(log, { run_id })) fold.fold(envelope);
  const { tools } = fold.snapshot();
  return rows.map((row) => {
    const { tool_call_ids, turn_index } = artifactJson(row);
    const tool = tools.find(({ id }) => tool_call_ids.includes(id));
    return { row, turn: turn_index ?? tool?.turn, verb: tool && (verbOfKind(tool.kind) ?? tool.name) };
  });
}

/** `src/calc.js +1 -1 applied · turn 2 · Edit`. */
function fileHead(path: string, files: readonly FileCounts[], origins: readonly Origin[]): Part[] {
  const own = origins.filter(({ row }) => row.path === path);
  const turns = [...new Set(own.flatMap(({ turn }) => turn ?? []))];
  const verbs = [...new Set(own.flatMap(({ verb }) => verb ?? []))];
  const facts = [
    own.at(-1)?.row.status ?? "",
    turns.length === 0 ? "" : `turn ${turns.join(", ")}`,
    verbs.join(", "),
  ].filter((text) => text !== "");
  return [
    { text: path, role: "strong", shrinks: "path" },
    ...changes(files.filter((file) => file.path === path && file.additions + file.deletions > 0)),
    ...factsOf(facts.map((text, index): Part => ({ text, role: "dim", leaves: index + 1 }))),
  ];
}

/** What a path that a person typed can mean: from the workspace, or from where the person is. */
function namesOf(typed: string, workspace: string | undefined): string[] {
  const here = workspace === undefined ? undefined : path.relative(workspace, path.resolve(typed));
  return [path.normalize(typed), ...(here === undefined || here.startsWith("..") ? [] : [here])];
}

/** Whether a path is one of these, or in one of these folders. An empty one is the workspace itself. */
const isBelow = (file: string, wanted: readonly string[]): boolean =>
  wanted
    .map((each) => each.replace(/\/+$/, ""))
    .some((each) => each === "" || each === "." || file === each || file.startsWith(`${each}/`));

function noChanges(turn: number, origins: readonly Origin[]): string {
  const turns = [...new Set(origins.flatMap((origin) => origin.turn ?? []))].sort((a, b) => a - b);
  const known = turns.length === 0 ? "No turn changed files" : `Files were changed in turn ${turns.join(", ")}`;
  return `Turn ${turn} of the run changed no files. ${known}.`;
}
