import { type ApprovalView, countDiff, type FileStatus, type FileView, type RunView } from "@spoor/protocol";
import type { ArtifactRecord } from "@spoor/protocol/client";
import { parseDiff } from "../../diff/parse-diff.ts";
import { netCounts } from "../../ui/counts.tsx";
import { relativePath } from "../relative-path.ts";

/** A patch and the run that made it: the run itself, or one of its subagents. */
export interface Patch {
  readonly record: ArtifactRecord;
  /** Absent for the run itself. */
  readonly subagent?: { readonly name: string; readonly runId: string };
}

/** One change of one file. */
export interface Change {
  /** The id of its patch, or its place in the view. */
  readonly key: string;
  readonly path: string;
  readonly status: FileStatus;
  readonly kind: "create" | "edit" | "delete";
  /** The stored patch. Without one nothing can be applied or reverted. */
  readonly patch?: ArtifactRecord;
  /** The diff that the agent told, for changes without a stored patch. */
  readonly diff?: string;
  /** Somebody must permit the change before the agent makes it. */
  readonly approval?: ApprovalView;
  readonly additions?: number;
  readonly deletions?: number;
  readonly turn?: number;
  readonly tool?: string;
  /** The first event of the tool call, for a link to the conversation. */
  readonly sequence?: number;
  readonly subagent?: Patch["subagent"];
  /** Why it was rejected or reverted. */
  readonly reason?: string;
  /** Made by nobody in this run. */
  readonly isOutside: boolean;
  /** Some of its hunks are applied and some are not. */
  readonly isPartial: boolean;
}

/** A file and its changes, the oldest first. */
export interface ChangedFile {
  readonly path: string;
  readonly changes: readonly Change[];
  readonly status: FileStatus;
  readonly kind: Change["kind"];
  readonly additions: number;
  readonly deletions: number;
  readonly isPartial: boolean;
  /** The diff of all changes together, where there are several and they come to something. */
  readonly sum?: string;
  /** Another one when the agent changed the file again: "looked at" holds for one revision. */
  readonly revision: string;
}

/**
 * The files that a run changed or wants to change, by folder and name. `isPast`: as the view says it was then, without
 * what came later.
 */
export function changedFiles(view: RunView, patches: readonly Patch[], isPast = false): ChangedFile[] {
  const byPath = new Map<string, Change[]>();
  for (const change of changesOf(view, isPast ? patchesThen(view, patches) : patches))
    byPath.set(change.path, [...(byPath.get(change.path) ?? []), change]);
  return [...byPath]
    .map(([path, changes]) => fileOf(path, changes))
    .sort((one, other) => compareText(placeOf(one.path), placeOf(other.path)));
}

/** Adds what several changes come to. The server sums up the changes of one run, without those of its subagents. */
export function withSum(file: ChangedFile, sums: ReadonlyMap<string, string> | undefined): ChangedFile {
  const { changes, path } = file;
  const sum = sums?.get(path);
  if (sum === undefined || changes.length < 2 || !changes.every(({ patch, subagent }) => patch && !subagent))
    return file;
  return { ...file, sum, ...countDiff(sum) };
}

/** The patches that the view knows, with the status that they had. */
function patchesThen(view: RunView, patches: readonly Patch[]): Patch[] {
  const statuses = new Map(view.files.map(({ artifactId, status }) => [artifactId, status]));
  const known = new Set(view.artifacts.map(({ id }) => id));
  return patches.flatMap(({ record, subagent }) => {
    if (!known.has(record.id)) return [];
    const status = statuses.get(record.id) ?? record.status;
    return [{ record: { ...record, ...(status && { status }) }, ...(subagent && { subagent }) }];
  });
}

/** The folder of a path, with a slash at its end; `./` for files at the top. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1) || "./";
export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Files at the top come after the folders. */
const placeOf = (path: string): string => (path.includes("/") ? `0${folderOf(path)}\0${nameOf(path)}` : `1${path}`);
const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function changesOf(view: RunView, patches: readonly Patch[]): Change[] {
  // A revert is stored as a patch, too. It is told by the status of the patch it reverts.
  const stored = patches.filter(({ record }) => record.kind === "patch" && record.inverse_of === undefined);
  const ids = new Set(patches.map(({ record }) => record.id));
  const files = new Map(view.files.flatMap((file) => (file.artifactId ? [[file.artifactId, file] as const] : [])));
  const own = stored
    .map((patch) => changeOfPatch(view, patch, files.get(patch.record.id)))
    .sort((one, other) => compareText(one.key, other.key));
  const told = view.files.flatMap((file, index) =>
    file.path !== "" && !(file.artifactId && ids.has(file.artifactId)) ? [changeOfFile(view, file, index)] : [],
  );
  return [...own, ...told, ...waitingChanges(view)];
}

function changeOfPatch(view: RunView, { record, subagent }: Patch, file: FileView | undefined): Change {
  const { stats, applied_hunks = [] } = record;
  return {
    ...{ key: record.id, path: record.target_path ?? "", patch: record },
    // The record is read after the event arrived, so the event may be newer.
    status: record.status ?? file?.status ?? "applied",
    kind: record.operation === "delete" || record.result_revision === null ? "delete" : kindOf(record.before_existed),
    ...(stats && { additions: stats.additions, deletions: stats.deletions }),
    ...(record.turn_index !== undefined && { turn: record.turn_index }),
    ...(subagent ? { subagent } : toolOf(view, record.produced_by_tool_call_id)),
    ...(file?.reason !== undefined && { reason: file.reason }),
    isOutside: record.attribution === "outside",
    isPartial: record.status === "applied" && applied_hunks.length > 0 && applied_hunks.length < (stats?.hunks ?? 0),
  };
}

function changeOfFile(view: RunView, file: FileView, index: number): Change {
  const approval = view.approvals.find(
    ({ status, toolCallId }) => status === "pending" && toolCallId !== undefined && toolCallId === file.toolCallId,
  );
  const diff = file.diff ?? approval?.diff;
  const counted = diff === undefined ? undefined : countDiff(diff);
  return {
    ...{
      key: file.artifactId ?? `file-${index}`,
      path: relativePath(file.path, view.workspacePath),
      status: file.status,
    },
    kind: file.operation === "delete" ? "delete" : kindOf(file.operation !== "create"),
    ...(diff !== undefined && { diff }),
    ...(approval && { approval }),
    ...countsOf({ additions: file.additions ?? counted?.additions, deletions: file.deletions ?? counted?.deletions }),
    ...toolOf(view, file.toolCallId),
    ...(file.reason !== undefined && { reason: file.reason }),
    ...{ isOutside: false, isPartial: false },
  };
}

/** What approvals ask for and no event told yet. */
function waitingChanges(view: RunView): Change[] {
  return view.approvals.flatMap((approval) => {
    const { status, diff, toolCallId, id } = approval;
    if (status !== "pending" || diff === undefined) return [];
    if (toolCallId !== undefined && view.files.some((file) => file.toolCallId === toolCallId)) return [];
    return parseDiff(diff).flatMap((file, index): Change[] => {
      if (file.path === "") return [];
      const kind = file.change === "create" || file.change === "delete" ? file.change : "edit";
      return [
        {
          ...{ key: `${id}-${index}`, path: relativePath(file.path, view.workspacePath), status: "proposed", kind },
          ...{ diff, approval, additions: file.additions, deletions: file.deletions },
          ...toolOf(view, toolCallId),
          ...{ isOutside: false, isPartial: false },
        },
      ];
    });
  });
}

function fileOf(path: string, changes: readonly Change[]): ChangedFile {
  const own = changes.filter(({ isOutside }) => !isOutside);
  const statuses = new Set((own.length > 0 ? own : changes).map(({ status }) => status));
  const kinds = changes.map(({ kind }) => kind);
  return {
    ...{ path, changes, ...netCounts(changes, kinds[0] === "create") },
    status: order.find((status) => statuses.has(status)) ?? "applied",
    kind: kinds.at(-1) === "delete" ? "delete" : kinds[0] === "create" ? "create" : "edit",
    isPartial: changes.some(({ isPartial }) => isPartial),
    revision: changes.map(({ key }) => key).join(" "),
  };
}

/** What a file with several changes is called: what needs somebody comes first. */
const order: readonly FileStatus[] = ["conflict", "proposed", "applied", "reverted", "rejected"];

const kindOf = (existed: boolean | undefined): "create" | "edit" => (existed === false ? "create" : "edit");

const countsOf = ({ additions, deletions }: { additions: number | undefined; deletions: number | undefined }) => ({
  ...(additions !== undefined && { additions }),
  ...(deletions !== undefined && { deletions }),
});

type Call = Pick<Change, "tool" | "turn" | "sequence">;

const toolOf = (view: RunView, id: string | undefined): Call => (id === undefined ? {} : (callsOf(view).get(id) ?? {}));

/** The calls of a run by their ids. They are looked up for every change, and there may be ten thousand of both. */
function callsOf(view: RunView): ReadonlyMap<string, Call> {
  const known = calls.get(view);
  if (known) return known;
  const entries = view.timeline.filter(({ kind }) => kind === "tools");
  const sequences = new Map(entries.toReversed().map(({ index, sequence }) => [index, sequence]));
  const found = new Map<string, Call>();
  for (const [index, { id, name, turn }] of view.tools.entries()) {
    const sequence = sequences.get(index);
    if (!found.has(id))
      found.set(id, { tool: name, ...(turn !== undefined && { turn }), ...(sequence !== undefined && { sequence }) });
  }
  calls.set(view, found);
  return found;
}

const calls = new WeakMap<RunView, ReadonlyMap<string, Call>>();
