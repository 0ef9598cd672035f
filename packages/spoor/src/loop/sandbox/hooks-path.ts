import { spawnSync } from "node:child_process";
import path from "node:path";
import { scrubEnvironment } from "../../process/environment.ts";
import { isInside } from "../../runtime/policy/paths.ts";
import { findGit } from "../../runtime/workspace/git-program.ts";
import { isFolder } from "./hidden-places.ts";
import { type Mask, settingMasks } from "./masks.ts";

/** Git is asked for each repository once, and only for so many. */
const MAX_REPOSITORIES = 20;

/**
 * Finds the folders of hooks that repositories in a workspace keep in their work tree, such as `.husky`. `trees` are the
 * folders of these repositories.
 */
export function createHooksPaths(root: string, environment: NodeJS.ProcessEnv) {
  const program = findGit(root, environment);
  const known = new Map<string, string | undefined>();
  return (trees: readonly string[]): readonly Mask[] => {
    for (const tree of program === undefined ? [] : trees) {
      if (!known.has(tree) && known.size < MAX_REPOSITORIES) known.set(tree, read(program ?? "", tree, environment));
    }
    const folders = trees.flatMap((tree) => known.get(tree) ?? []);
    return [...new Set(folders)]
      .filter((each) => each !== root && isInside(each, root) && isFolder(path.dirname(each)))
      .flatMap((each) => settingMasks(root, path.relative(root, each), "folder"));
  };
}

function read(program: string, tree: string, environment: NodeJS.ProcessEnv): string | undefined {
  const { stdout } = spawnSync(program, ["config", "--type=path", "--get", "core.hooksPath"], {
    ...{ cwd: tree, env: scrubEnvironment(environment), encoding: "utf8", timeout: 2000 },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const named = (stdout ?? "").replace(/\n$/, "");
  if (named === "") return undefined;
  const folder = path.resolve(tree, named);
  // The programs in the folder `_` of husky run those beside it.
  return path.basename(folder) === "_" ? path.dirname(folder) : folder;
}
