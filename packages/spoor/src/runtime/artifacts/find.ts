import type { Log } from "../../log/log.ts";
import { STATE_KIND } from "../projections/artifacts.ts";
import { ArtifactError } from "./errors.ts";
import type { ArtifactRow } from "./record.ts";

/** @throws {ArtifactError} `not_found` */
export async function findArtifact({ rows }: Pick<Log, "rows">, artifact_id: string): Promise<ArtifactRow> {
  const row = await rows.find("artifacts", artifact_id);
  if (!row || row.kind === STATE_KIND) throw new ArtifactError("not_found", `There is no artifact ${artifact_id}.`);
  return row;
}

/**
 * All artifacts of a run, the oldest first.
 *
 * @example
 * for (const { artifact_id, kind, path } of await artifactsOfRun(log, run_id)) console.log(artifact_id, kind, path);
 */
export async function artifactsOfRun({ rows }: Pick<Log, "rows">, run_id: string): Promise<ArtifactRow[]> {
  const found: ArtifactRow[] = [];
  for (let after: string | undefined, more = true; more; ) {
    const query = { where: { run_id }, limit: 500, ...(after !== undefined && { after }) };
    const page = await rows.list("artifacts", query);
    found.push(...page.rows.filter(({ kind }) => kind !== STATE_KIND));
    after = page.rows.at(-1)?.artifact_id;
    more = page.more && after !== undefined;
  }
  return found;
}
