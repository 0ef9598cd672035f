import type { FileView } from "@spoor/protocol";
import { sumCounts } from "../../ui/counts.tsx";

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

export function changedFiles(files: readonly FileView[]): ChangedFile[] {
  const byPath = Map.groupBy(
    files.filter(({ path }) => path !== ""),
    ({ path }) => path,
  );
  return [...byPath].map(([path, changes]) => {
    const last = changes.at(-1);
    const counted = changes.filter(({ status }) => status === "applied" || status === "proposed");
    const tag = tags[last?.status ?? "applied"];
    return {
      path,
      letter: last?.operation === "delete" ? "D" : changes.some(isNew) ? "A" : "M",
      ...sumCounts(counted),
      ...(tag && { tag }),
    };
  });
}

const isNew = ({ operation, beforeExisted }: FileView): boolean => operation === "create" || beforeExisted === false;

const tags: Readonly<Record<FileView["status"], string | undefined>> = {
  proposed: "waits",
  applied: undefined,
  rejected: "rejected",
  reverted: "reverted",
  conflict: "conflict",
};
