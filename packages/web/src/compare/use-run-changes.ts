import type { RunView } from "@spoor/protocol";
import type { ArtifactRecord } from "@spoor/protocol/client";
import { useEffect, useMemo, useState } from "react";
import { diffsByPath } from "../diff/diffs-by-path.ts";
import { client } from "../live/client.ts";
import { untilAnswered } from "../live/until-answered.ts";
import { allPatches } from "../run/changes/all-patches.ts";
import { relativePath } from "../run/relative-path.ts";

/** What a run changed by itself: later reverts and the like by people are left out. */
export interface RunChanges {
  readonly diffs: ReadonlyMap<string, string>;
  /** The patches that people could still apply: proposed ones, and those that were reverted. */
  readonly open: readonly ArtifactRecord[];
  /** Whether the bytes of its changes are stored. */
  readonly isStored: boolean;
  /** Where its worktree or clone was made from. Absent for a run that worked in place. */
  readonly origin?: string;
  readonly state: "loading" | "ready";
}

/** What each of the compared runs changed. */
export interface AllChanges {
  of(runId: string): RunChanges;
  reload(): void;
}

const nothing: RunChanges = { diffs: new Map(), open: [], isStored: false, state: "loading" };

/** Reads what runs changed. It is read again when a run goes on, or when somebody applies or reverts something. */
export function useRunChanges(
  runs: readonly { runId: string; taskId?: string | undefined; view: RunView }[],
): AllChanges {
  const [read, set] = useState<ReadonlyMap<string, RunChanges>>(new Map());
  const [asked, ask] = useState(0);
  const wanted = useMemo(
    () =>
      JSON.stringify(
        runs.map(({ runId, taskId, view }) => ({ runId, taskId, end: endOf(view), version: versionOf(view) })),
      ),
    [runs],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: `wanted` names everything that matters; `asked` asks again.
  useEffect(() => {
    const end = new AbortController();
    for (const run of JSON.parse(wanted) as Wanted[]) {
      const told = runs.find(({ runId }) => runId === run.runId)?.view;
      untilAnswered(() => readChanges(run, told, end.signal), end.signal)
        .then((changes) => set((before) => new Map(before).set(run.runId, changes)))
        .catch(() => {});
    }
    return () => end.abort();
  }, [wanted, asked]);
  return { of: (runId: string) => read.get(runId) ?? nothing, reload: () => ask((count) => count + 1) };
}

interface Wanted {
  runId: string;
  taskId?: string;
  end?: number;
}

async function readChanges(
  { runId, taskId, end }: Wanted,
  view: RunView | undefined,
  signal: AbortSignal,
): Promise<RunChanges> {
  const [sum, patches, task] = await Promise.all([
    client.runs.diff(runId, end === undefined ? {} : { through: String(end) }, { signal }),
    allPatches(runId, signal),
    taskId === undefined ? undefined : client.tasks.get(taskId, { signal }).catch(() => undefined),
  ]);
  const own = patches.filter(({ inverse_of, attribution }) => inverse_of === undefined && attribution !== "outside");
  const diffs = diffsByPath(sum.diff);
  if (own.length === 0 && view) addTold(diffs, view);
  const origin = originOf(task?.spec);
  const open = own.filter(({ status }) => status === "proposed" || status === "reverted");
  return { diffs, open, isStored: own.length > 0, ...(origin !== undefined && { origin }), state: "ready" };
}

/** What the agent told itself, where no patch was stored. A change without a diff is known by its path only. */
function addTold(diffs: Map<string, string>, { files, workspacePath }: RunView): void {
  for (const { path, diff = "" } of files) {
    if (path === "") continue;
    const name = relativePath(path, workspacePath);
    diffs.set(name, (diffs.get(name) ?? "") + diff);
  }
}

function originOf(spec: Record<string, unknown> | undefined): string | undefined {
  const workspace = spec?.workspace as { mode?: unknown; path?: unknown } | undefined;
  const isApart = workspace?.mode === "worktree" || workspace?.mode === "clone";
  return isApart && typeof workspace?.path === "string" ? workspace.path : undefined;
}

/** The event with which the run ended. What people do with its changes comes later. */
function endOf(view: RunView): number | undefined {
  const entry = view.timeline.findLast(
    ({ kind, index }) => kind === "notes" && ends.has(view.notes[index]?.type ?? ""),
  );
  return view.end === undefined ? undefined : entry?.sequence;
}

const ends: ReadonlySet<string> = new Set(["run.finished", "run.failed", "run.cancelled"]);

const versionOf = ({ files }: RunView): string =>
  `${files.length} ${files.map(({ status, appliedAt, revertedAt }) => `${status}${appliedAt ?? ""}${revertedAt ?? ""}`).join()}`;
