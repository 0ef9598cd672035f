import type { StoredFile } from "./tree-state.ts";

/** What `git diff-files` tells. */
export interface ChangedFiles {
  modified: string[];
  /** In the middle of a merge or rebase. */
  unmerged: string[];
  deleted: string[];
  /** The files as the index has them. */
  inTree: Map<string, StoredFile>;
}

/** One path in the comparison of two trees. A missing side is a file that was created or deleted. */
export interface TreeChange {
  name: string;
  before?: StoredFile;
  after?: StoredFile;
}

/** Reads pairs of `:<mode> <mode> <id> <id> <status>` and a path. */
export function changedFiles(stdout: Buffer): ChangedFiles {
  const fields = namesIn(stdout);
  const changed: ChangedFiles = { modified: [], unmerged: [], deleted: [], inTree: new Map() };
  for (let n = 0; n + 1 < fields.length; n += 2) {
    const [mode = "", , oid = "", , status] = (fields[n] ?? "").slice(1).split(" ");
    const name = fields[n + 1] ?? "";
    const kind = status === "D" ? "deleted" : status === "U" ? "unmerged" : "modified";
    changed[kind].push(name);
    if (isFile(mode)) changed.inTree.set(name, { mode, oid });
  }
  return changed;
}

/** Reads the output of `git diff-tree --raw -z`. */
export function treeChanges(stdout: Buffer): TreeChange[] {
  const fields = namesIn(stdout);
  const changes: TreeChange[] = [];
  for (let n = 0; n + 1 < fields.length; n += 2) {
    const [oldMode = "", newMode = "", oldId = "", newId = ""] = (fields[n] ?? "").slice(1).split(" ");
    const before = { mode: oldMode, oid: oldId };
    const after = { mode: newMode, oid: newId };
    changes.push({
      name: fields[n + 1] ?? "",
      ...(isFile(oldMode) && { before }),
      ...(isFile(newMode) && { after }),
    });
  }
  // A submodule is a commit, not a file.
  return changes.filter(({ before, after }) => before || after);
}

const isFile = (mode: string): boolean => mode.startsWith("100") || mode === "120000";

/** Paths that end with a NUL, with one character per byte. */
export const namesIn = (stdout: Buffer): string[] => stdout.toString("latin1").split("\0").slice(0, -1);
