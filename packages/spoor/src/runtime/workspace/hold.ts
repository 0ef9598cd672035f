import type { Effect, Rows } from "../../log/effects.ts";
import { LogError } from "../../log/errors.ts";
import type { Row } from "../../log/tables.ts";
import { workspaceKey } from "../projections/workspaces.ts";
import { isInside } from "./git-program.ts";
import { WorkspaceError } from "./workspace-error.ts";

/** A run that wants to work in a folder. */
export interface Hold {
  run_id: string;
  /** An absolute, real path. */
  path: string;
  mode: string;
  /** Whether other runs that also say so may work there at the same time. */
  share?: boolean;
  /** A run that gives its folder back in the same commit, before this one takes it. */
  after?: string;
}

/**
 * The row whose number every hold raises. A key cannot see the folders above and below it, so a hold reads all rows first; if
 * somebody else holds a folder meanwhile, the number differs and the commit is refused.
 */
export const GENERATION = "*";

/**
 * Returns the effects by which a run takes a folder, for the commit that creates the run. The commit may be refused because
 * another run took some folder at the same moment: `holdWorkspace` repeats it then.
 *
 * @throws {WorkspaceError} `workspace_busy` if another run works in the folder, above it or below it.
 */
export async function holdEffects(rows: Pick<Rows, "find" | "list">, hold: Hold): Promise<Effect<"workspaces">[]> {
  const generation = await rows.find("workspaces", GENERATION);
  for await (const row of heldWorkspaces(rows)) refuseOverlap(row, hold);
  return [
    generation
      ? {
          ...{ do: "update", table: "workspaces", key: GENERATION },
          ...{ when: { generation: generation.generation }, set: { generation: (generation.generation ?? 0) + 1 } },
        }
      : { do: "insert", table: "workspaces", row: { path: GENERATION, generation: 1 } },
    holdRow(hold),
  ];
}

/** The row of a hold. It follows from the run's `run.created`, so `spoor repair` makes the same one. */
export const holdRow = ({ path, run_id, mode, share = false }: Hold): Effect<"workspaces"> => ({
  ...{ do: "insert", table: "workspaces", ifExists: "keep" },
  row: { path: workspaceKey(path, run_id), run_id, mode, shared: share ? 1 : 0 },
});

/** Returns the effects by which a run gives its folder back, for the commit of its terminal event. */
export const releaseEffects = ({ run_id, path }: Pick<Hold, "run_id" | "path">): Effect<"workspaces">[] => [
  { do: "delete", table: "workspaces", key: workspaceKey(path, run_id) },
];

/** Commits with a hold, again if another run took some folder meanwhile. */
export async function holdWorkspace<T>(
  rows: Pick<Rows, "find" | "list">,
  hold: Hold,
  commit: (effects: Effect[]) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const effects = await holdEffects(rows, hold);
    try {
      return await commit(effects);
    } catch (error) {
      if (!isHoldRace(error) || attempt >= MAX_ATTEMPTS) throw error;
    }
  }
}

/** Whether a commit was refused only because another run took some folder at the same moment. */
export function isHoldRace(error: unknown): boolean {
  if (!(error instanceof LogError) || error.code !== "conflict" || error.table !== "workspaces") return false;
  const row = error.row as Partial<Row<"workspaces">> | undefined;
  return row?.path === undefined || row.path === GENERATION;
}

/** The folders that runs hold, with the path itself in `folder`. */
export async function* heldWorkspaces(
  rows: Pick<Rows, "list">,
): AsyncGenerator<Row<"workspaces"> & { folder: string; run_id: string }> {
  for (let after: string | undefined; ; ) {
    const page = await rows.list("workspaces", { limit: 500, ...(after !== undefined && { after }) });
    for (const row of page.rows) {
      const { run_id } = row;
      if (run_id !== null) yield { ...row, run_id, folder: row.path.split(`\n#${run_id}`)[0] ?? row.path };
    }
    after = page.rows.at(-1)?.path;
    if (!page.more || after === undefined) return;
  }
}

const MAX_ATTEMPTS = 100;

function refuseOverlap(
  row: Row<"workspaces"> & { folder: string; run_id: string },
  { path, share, run_id, after }: Hold,
): void {
  const { folder } = row;
  if (row.run_id === run_id || row.run_id === after || !(isInside(folder, path) || isInside(path, folder))) return;
  if (share && row.shared === 1) return;
  const place = folder === path ? path : `${folder}, which overlaps with ${path}`;
  const message =
    `The run ${row.run_id} works in ${place}. Wait for it, or end it with \`spoor cancel ${row.run_id}\`. ` +
    "Or choose another folder, or a task with the workspace mode worktree or clone, or with `share: true`.";
  throw new WorkspaceError("workspace_busy", message, { run_id: row.run_id, path: folder });
}
