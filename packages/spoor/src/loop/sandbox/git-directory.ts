import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { isInside } from "../../runtime/policy/paths.ts";
import { type HiddenPlace, isFolder, realPathOf } from "./hidden-places.ts";

/** Where git keeps what belongs to a workspace, if that is outside of it. */
export interface OutsideGit {
  /** The work tree of git that the workspace is a part of. Commands can read it. */
  tree?: string;
  /** The git directory of the repository of which the workspace is a work tree. Git alone can write to it. */
  common?: string;
  /** The part of it that belongs to this work tree: its HEAD and its index. */
  own?: string;
}

/**
 * Finds the git directory of a workspace that does not hold it itself. A `.git` file of the workspace is believed only if the
 * git directory that it names points back to it: everything in a workspace may come from anybody. A work tree that holds one
 * of the `hidden` places is not shown.
 */
export function findOutsideGit(root: string, hidden: readonly HiddenPlace[]): OutsideGit {
  for (let folder = root; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    if (folder !== root && hidden.some(({ path: each }) => isInside(each, folder))) return {};
    const file = path.join(folder, ".git");
    if (!existsSync(file)) continue;
    const own = isFolder(file) ? undefined : ownFolderOf(file);
    const common = own && path.dirname(path.dirname(own));
    const tree = folder === root ? {} : { tree: folder };
    return own === undefined || common === undefined || isInside(common, folder) ? tree : { ...tree, common, own };
  }
  return {};
}

function ownFolderOf(file: string): string | undefined {
  try {
    const named = /^gitdir: (.+)\n?$/.exec(readFileSync(file, "utf8"))?.[1];
    const folder = named && realPathOf(path.resolve(path.dirname(file), named));
    if (!folder || path.basename(path.dirname(folder)) !== "worktrees") return undefined;
    const back = path.resolve(folder, readFileSync(path.join(folder, "gitdir"), "utf8").trim());
    return realPathOf(back) === file ? folder : undefined;
  } catch {
    return undefined;
  }
}
