import type { Row } from "../../log/tables.ts";
import type { ArtifactDetails } from "../projections/artifacts.ts";

/** The stored record of an artifact. */
export type ArtifactRow = Row<"artifacts">;

export const detailsOf = ({ details }: ArtifactRow): ArtifactDetails => (details ? JSON.parse(details) : {});

export const callsOf = ({ tool_call_ids }: ArtifactRow): string[] => (tool_call_ids ? JSON.parse(tool_call_ids) : []);

/** The hunks of a patch that its file has now. */
export function appliedHunks(row: ArtifactRow): number[] {
  if (row.applied_hunks !== null) return JSON.parse(row.applied_hunks) as number[];
  const { hunks = 0 } = detailsOf(row);
  return row.status === "applied" ? Array.from({ length: hunks }, (_, index) => index) : [];
}

/** The modes of the file before and after the patch. */
export function modesOf(row: ArtifactRow): { before: number | undefined; after: number | undefined } {
  const after = row.mode === null ? undefined : Number.parseInt(row.mode, 8);
  const { base_mode } = detailsOf(row);
  return { before: base_mode === undefined ? after : Number.parseInt(base_mode, 8), after };
}

/**
 * The artifact as it is printed and served.
 *
 * @example
 * for (const row of await artifactsOfRun(log, run_id)) console.log(artifactJson(row));
 */
export function artifactJson(row: ArtifactRow) {
  const details = detailsOf(row);
  const calls = callsOf(row);
  const isPatch = row.kind === "patch";
  return {
    ...{ id: row.artifact_id, kind: row.kind },
    ...(row.status !== null && { status: row.status }),
    ...(details.summary !== undefined && { summary: details.summary }),
    size_bytes: row.size ?? 0,
    ...(row.sha256 !== null && { sha256: row.sha256 }),
    ...(row.mime !== null && { mime: row.mime }),
    ...(row.name !== null && { name: row.name }),
    ...(isPatch && {
      target_path: row.path ?? "",
      ...(row.mode !== null && { mode: row.mode }),
      ...(details.base_mode !== undefined && { base_mode: details.base_mode }),
      operation: row.operation ?? "write",
      before_existed: row.before_existed === 1,
      base_revision: row.base_revision,
      result_revision: row.result_revision,
      stats: { additions: row.additions ?? 0, deletions: row.deletions ?? 0, hunks: details.hunks ?? 0 },
      applied_hunks: appliedHunks(row),
      attribution: row.attribution ?? "call",
      revertible: details.revertible ?? true,
      ...(details.inverse_of !== undefined && { inverse_of: details.inverse_of }),
      applied_at: instant(row.applied_at),
      reverted_at: instant(row.reverted_at),
      is_pending: row.pending !== null,
    }),
    created_at: instant(row.created_at) ?? "",
    updated_at: instant(row.updated_at) ?? "",
    produced_by_run_id: row.run_id,
    ...(row.task_id !== null && { produced_by_task_id: row.task_id }),
    ...(calls[0] !== undefined && { produced_by_tool_call_id: calls[0] }),
    tool_call_ids: calls,
    ...(row.group_id !== null && { group_id: row.group_id }),
    ...(details.turn_index !== undefined && { turn_index: details.turn_index }),
  };
}

const instant = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());
