import type { FileView, LineCounts } from "@spoor/protocol";
import { netCounts } from "../../ui/counts.tsx";
import { relativePath } from "../relative-path.ts";

/** A file among the changes of a run, with all its changes in one. */
export interface ChangedFile {
  readonly path: string;
  /** A: added, D: deleted, M: changed. */
  readonly letter: "A" | "D" | "M";
  readonly additions: number;
  readonly deletions: number;
  /** What is special about its last change: it waits, was reverted, or could not be written. */
  readonly tag?: string;
}

/** `sums`: what the changes of each file come to, by its path in the run's folder, where the server was asked. */
export function changedFiles(
  files: readonly FileView[],
  workspace?: string,
  sums?: ReadonlyMap<string, LineCounts>,
): ChangedFile[] {
  const byPath = Map.groupBy(
    files.filter(({ path }) => path !== ""),
    ({ path }) => path,
  );
  return [...byPath].map(([path, changes]) => {
    const last = changes.at(-1);
    const counted = changes.filter(({ status }) => status === "applied" || status === "proposed");
    const tag = tags[last?.status ?? "applied"];
    return {
      ...{ path, ...netCounts(counted, changes[0] !== undefined && isNew(changes[0])) },
      letter: last?.operation === "delete" ? "D" : changes.some(isNew) ? "A" : "M",
      ...(isSummed(changes) && sums?.get(relativePath(path, workspace))),
      ...(tag && { tag }),
    };
  });
}

/** Whether only the server knows what these changes come to: several, all applied and stored. */
export const isSummed = (changes: readonly FileView[]): boolean =>
  changes.length > 1 && changes.every(({ artifactId, status }) => artifactId !== undefined && status === "applied");

const isNew = ({ operation, beforeExisted }: FileView): boolean => operation === "create" || beforeExisted === false;

const tags: Readonly<Record<FileView["status"], string | undefined>> = {
  proposed: "waits",
  applied: undefined,
  rejected: "rejected",
  reverted: "reverted",
  conflict: "conflict",
};
