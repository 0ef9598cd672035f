import { ulidTime } from "@spoor/protocol/ids";
import type { Effect } from "../../log/effects.ts";
import type { ProjectedEvent, ProjectedRun } from "./projection.ts";

/**
 * What an event changes in the table `artifacts`. Live commits and `spoor repair` both use this, and the time comes from
 * the event's data, so that both give the same rows.
 */
export function artifactEffects(
  { type, data }: Pick<ProjectedEvent, "type" | "data">,
  run: Pick<ProjectedRun, "run_id" | "task_id">,
): Effect<"artifacts">[] {
  if (type === "run.checkpoint_saved") return stateEffects(data, run);
  const artifact_id = text(data.artifact_id);
  if (artifact_id === null) return [];
  if (type === "artifact.created") return [createdEffect(artifact_id, data, run)];
  if (type !== "artifact.updated") return [];
  const updated_at = typeof data.at === "string" ? Date.parse(data.at) : null;
  const update = (when: object, set: object): Effect<"artifacts">[] => [
    { do: "update", table: "artifacts", key: artifact_id, when, set: { ...set, updated_at, pending: null } },
  ];
  if (data.field === "applied_hunks") return update({}, { applied_hunks: JSON.stringify(data.new_value) });
  if (data.field !== "status") return [];
  const status = text(data.new_value);
  return update(
    { status: text(data.old_value) },
    {
      status,
      ...(status === "applied" && { applied_at: updated_at }),
      ...(status === "reverted" && { reverted_at: updated_at }),
    },
  );
}

function createdEffect(
  artifact_id: string,
  data: ProjectedEvent["data"],
  { run_id, task_id }: { run_id: string; task_id: string },
): Effect<"artifacts"> {
  const calls = Array.isArray(data.tool_call_ids) ? data.tool_call_ids : [data.tool_call_id].filter(Boolean);
  const created_at = ulidTime(artifact_id);
  const status = text(data.status);
  return {
    do: "insert",
    table: "artifacts",
    // Its id is new, so a row that exists was made by the same event.
    ifExists: "keep",
    row: {
      ...{ artifact_id, run_id, task_id, created_at, updated_at: created_at, status },
      tool_call_ids: JSON.stringify(calls),
      group_id: text(data.group_id),
      kind: text(data.kind) ?? "",
      path: text(data.path),
      mode: text(data.mode),
      operation: text(data.operation),
      before_existed: typeof data.before_existed === "boolean" ? Number(data.before_existed) : null,
      base_revision: text(data.base_revision),
      result_revision: text(data.result_revision),
      sha256: text(data.sha256),
      size: count(data.size_bytes),
      additions: count(data.additions),
      deletions: count(data.deletions),
      attribution: text(data.attribution),
      mime: text(data.mime),
      name: text(data.name),
      details: JSON.stringify(detailsOf(data)),
      applied_at: status === "applied" ? created_at : null,
    },
  };
}

/** The kind of the rows by which checkpoints hold what a provider needs back. Nobody is shown them. */
export const STATE_KIND = "provider_state";

/** A checkpoint holds its content like an artifact does, so that it stays as long as the run can go on from there. */
function stateEffects(
  { checkpoint_id, provider_state, turn_index }: ProjectedEvent["data"],
  run: Pick<ProjectedRun, "run_id" | "task_id">,
): Effect<"artifacts">[] {
  if (typeof checkpoint_id !== "string" || typeof provider_state !== "string") return [];
  return [createdEffect(checkpoint_id, { kind: STATE_KIND, sha256: provider_state, turn_index }, run)];
}

/** What only readers of one artifact need, and what never changes. */
export interface ArtifactDetails {
  summary?: string;
  turn_index?: number;
  base_mode?: string;
  hunks?: number;
  revertible?: false;
  inverse_of?: string;
}

const detailsOf = ({ summary, turn_index, base_mode, hunks, revertible, inverse_of }: ProjectedEvent["data"]) => ({
  ...{ summary, turn_index, base_mode, hunks, revertible, inverse_of },
});

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
const count = (value: unknown): number | null => (typeof value === "number" ? value : null);
