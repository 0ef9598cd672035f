import type { Log } from "../../log/log.ts";
import { type ArtifactRow, findArtifact } from "../../runtime/artifacts/index.ts";
import { ExitError } from "../exit-error.ts";
import { matchesPart } from "./find-run.ts";

/** Finds the patches that a person named: one by its id or a part of it, or all of a group. `files` narrows a group. */
export async function findPatches(log: Log, typed: string, files?: readonly string[]): Promise<ArtifactRow[]> {
  const found = await named(log, typed);
  const chosen = found.filter(({ path }) => files === undefined || files.includes(path ?? ""));
  if (chosen.length > 0) return chosen;
  throw new ExitError(
    1,
    `"${typed}" has no patch of ${files?.join(", ")}. \`spoor patches\` lists the patches of a run.`,
  );
}

async function named(log: Log, typed: string): Promise<ArtifactRow[]> {
  const exact = await log.rows.find("artifacts", typed);
  if (exact) return [await findArtifact(log, typed)];
  const group = await log.rows.list("artifacts", { where: { group_id: typed, kind: "patch" }, limit: 500 });
  const runs = new Set(group.rows.map(({ run_id }) => run_id));
  if (group.rows.length > 0 && runs.size === 1) return group.rows;
  const meant: ArtifactRow[] = [];
  for (let after: string | undefined, more = typed !== ""; more; ) {
    const query = { where: { kind: "patch" }, limit: 1_000, ...(after !== undefined && { after }) };
    const page = await log.rows.list("artifacts", query);
    meant.push(...page.rows.filter(({ artifact_id }) => matchesPart(artifact_id, typed, "art_")));
    after = page.rows.at(-1)?.artifact_id;
    more = page.more && after !== undefined;
  }
  if (meant.length === 1) return meant;
  const list = "`spoor patches` lists the patches of a run.";
  if (meant.length === 0) throw new ExitError(1, `There is no patch "${typed}". ${list}`);
  throw new ExitError(1, `"${typed}" matches ${meant.length} patches. Type more of the id. ${list}`);
}
