import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { runGit } from "./git-program.ts";

/** The user's repository around a folder. It is only read. */
export interface UserRepository {
  /** The top of its working tree. */
  root: string;
  gitDir: string;
  /** The folder that its worktrees share, with objects and configuration. */
  commonDir: string;
}

/** Finds the repository that holds a folder: a `.git` folder, or the `.git` file of a worktree or submodule. */
export function findRepository(folder: string): UserRepository | undefined {
  for (let root = folder; ; root = path.dirname(root)) {
    const gitDir = gitDirAt(root);
    if (gitDir !== undefined) return { root, gitDir, commonDir: commonDirOf(gitDir) };
    if (path.dirname(root) === root) return undefined;
  }
}

function gitDirAt(root: string): string | undefined {
  const entry = path.join(root, ".git");
  try {
    if (statSync(entry).isDirectory()) return isGitDir(entry) ? entry : undefined;
    const target = /^gitdir: (.+?)\r?\n?$/.exec(readFileSync(entry, "utf8"))?.[1];
    if (target === undefined) return undefined;
    const gitDir = path.resolve(root, target);
    return isGitDir(gitDir) ? gitDir : undefined;
  } catch {
    return undefined;
  }
}

function isGitDir(folder: string): boolean {
  try {
    return statSync(path.join(folder, "HEAD")).isFile();
  } catch {
    return false;
  }
}

function commonDirOf(gitDir: string): string {
  try {
    return path.resolve(gitDir, readFileSync(path.join(gitDir, "commondir"), "utf8").trim());
  } catch {
    return gitDir;
  }
}

/** The user's settings that change what a snapshot means, by their lower-case names. The last value of each counts. */
export async function readSettings(
  program: string,
  { gitDir, root }: UserRepository,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<ReadonlyMap<string, string> | undefined> {
  const { HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL } = environment;
  const variables = {
    GIT_DIR: gitDir,
    GIT_CONFIG_NOSYSTEM: "0",
    ...(HOME !== undefined && { HOME }),
    ...(XDG_CONFIG_HOME !== undefined && { XDG_CONFIG_HOME }),
    GIT_CONFIG_GLOBAL: GIT_CONFIG_GLOBAL ?? path.join(HOME ?? "/dev/null", ".gitconfig"),
  };
  // Listing settings runs nothing that they name.
  const { code, stdout } = await runGit({ program, args: ["config", "--null", "--list"], cwd: root, variables });
  if (code !== 0) return undefined;
  const settings = new Map<string, string>();
  for (const setting of stdout.toString("utf8").split("\0")) {
    const [key = "", ...value] = setting.split("\n");
    settings.set(key, value.join("\n"));
  }
  return settings;
}
