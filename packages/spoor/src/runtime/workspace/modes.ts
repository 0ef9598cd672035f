import { existsSync, mkdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { findGit, isInside, runGit } from "./git-program.ts";
import { WORKTREES } from "./places.ts";
import { findRepository } from "./user-repository.ts";
import { WorkspaceError } from "./workspace-error.ts";

/** Where a run is to work. */
export interface WorkspaceRequest {
  /** Default: `in_place`. */
  mode?: WorkspaceMode | undefined;
  /** The folder; for `worktree`, a folder of the repository. Default for `clone`: none. */
  path?: string | undefined;
  /** For `clone`: the repository, as a path or an address. Default: the repository of `path`. */
  repo?: string | undefined;
  /** For `worktree` and `clone`: the commit, branch or tag to begin with. Default: what is checked out. */
  base?: string | undefined;
}

/**
 * `in_place`: the folder itself. `worktree`: a new worktree of its repository. `clone`: a copy of a repository. The last two
 * are in the data directory, so that the run cannot disturb anybody.
 */
export type WorkspaceMode = "in_place" | "worktree" | "clone";

/** A workspace that exists. */
export interface Workspace {
  mode: WorkspaceMode;
  /** The absolute, real path of the folder in which the run works. */
  path: string;
}

/**
 * Makes the workspace of a run. Nothing that the repository brings along runs: no hooks, no submodules, no templates.
 *
 * @throws {WorkspaceError} `workspace_invalid`
 */
export async function prepareWorkspace(
  { mode = "in_place", path: given, repo, base }: WorkspaceRequest,
  run_id: string,
  directory: string,
): Promise<Workspace> {
  if (base?.startsWith("-")) throw invalid(`base must be a commit, branch or tag, not ${base}.`);
  if (mode === "clone") return { mode, path: await clone(repo ?? repositoryOf(given), base, run_id, directory) };
  const folder = realFolder(given ?? process.cwd());
  if (mode === "in_place") return { mode, path: folder };
  return { mode, path: await addWorktree(folder, base, run_id, directory) };
}

/** Removes the workspace that was made for a run. A folder of the user is never removed. */
export async function removeWorkspace({ mode, path: folder }: Workspace, directory: string): Promise<void> {
  const root = path.join(realParent(directory), WORKTREES);
  if (mode === "in_place" || folder === root || !isInside(root, folder)) return;
  const [run = ""] = path.relative(root, folder).split(path.sep);
  const own = path.join(root, run);
  const repository = mode === "worktree" ? findRepository(own) : undefined;
  rmSync(own, { recursive: true, force: true });
  const program = repository && findGit(own);
  // The user's repository forgets the worktree.
  if (program) await git(program, repository.commonDir, ["worktree", "prune"], { GIT_DIR: repository.commonDir });
}

/** The runs that have a workspace of their own in the data directory, and where it is. */
export const workspaceOf = (directory: string, run_id: string): string =>
  path.join(realParent(directory), WORKTREES, run_id);

async function addWorktree(
  folder: string,
  base: string | undefined,
  run_id: string,
  directory: string,
): Promise<string> {
  const program = requireGit(folder);
  const repository = findRepository(folder);
  if (!repository) throw invalid(`The workspace mode worktree needs a git repository, and ${folder} is in none.`);
  const commit = await commitOf(program, repository.root, base);
  const target = newTarget(directory, run_id);
  const added = await git(program, repository.root, ["worktree", "add", "--detach", "--quiet", target, commit]);
  if (added.code !== 0) throw invalid(`Git could not add a worktree of ${repository.root}: ${firstLine(added.stderr)}`);
  const inside = path.join(realpathSync(target), path.relative(repository.root, folder));
  // The folder may be one that is not committed.
  mkdirSync(inside, { recursive: true });
  return inside;
}

async function clone(repo: string, base: string | undefined, run_id: string, directory: string): Promise<string> {
  const program = requireGit(directory);
  const target = newTarget(directory, run_id);
  const options = [
    "--quiet",
    "--no-hardlinks",
    "--template=",
    "--no-recurse-submodules",
    "-c",
    "core.hooksPath=/dev/null",
  ];
  const cloned = await git(program, path.dirname(target), ["clone", ...options, "--", repo, target]);
  if (cloned.code !== 0) {
    rmSync(target, { recursive: true, force: true });
    throw invalid(`Git could not clone ${repo}: ${firstLine(cloned.stderr)}`);
  }
  if (base === undefined) return realpathSync(target);
  const commit = await commitOf(program, target, base).catch((error: unknown) => {
    rmSync(target, { recursive: true, force: true });
    throw error;
  });
  const checkedOut = await git(program, target, ["checkout", "--quiet", "--detach", commit]);
  if (checkedOut.code !== 0) throw invalid(`Git could not check out ${base}: ${firstLine(checkedOut.stderr)}`);
  return realpathSync(target);
}

/** A name of a branch that exists only at the origin is found there. */
async function commitOf(program: string, root: string, base = "HEAD"): Promise<string> {
  for (const name of [base, `refs/remotes/origin/${base}`]) {
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
    const { code, stdout } = await git(program, root, args);
    if (code === 0) return stdout.toString("latin1").trim();
  }
  throw invalid(
    base === "HEAD"
      ? `The repository ${root} has no commit yet.`
      : `The repository ${root} has no commit, branch or tag named ${base}.`,
  );
}

/** Runs git with the user's own settings, which a clone over a network needs, but without hooks and monitors. */
function git(program: string, cwd: string, args: readonly string[], variables: Record<string, string> = {}) {
  const { HOME, XDG_CONFIG_HOME, SSH_AUTH_SOCK, HTTPS_PROXY, https_proxy } = process.env;
  const own = { HOME, XDG_CONFIG_HOME, SSH_AUTH_SOCK, HTTPS_PROXY, https_proxy };
  const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
  const safe = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.ext.allow=never"];
  const config = HOME === undefined ? {} : { GIT_CONFIG_GLOBAL: path.join(HOME, ".gitconfig") };
  return runGit({ program, args: [...safe, ...args], cwd, variables: { ...given, ...config, ...variables } });
}

function newTarget(directory: string, run_id: string): string {
  const target = workspaceOf(directory, run_id);
  if (existsSync(target)) throw invalid(`The run ${run_id} already has a workspace: ${target}.`);
  mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
  return target;
}

/** The real path of a folder. `~` is the home folder, which no shell has put in its place. */
function realFolder(given: string): string {
  const folder = given.replace(/^~(?=\/|$)/, () => homedir());
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw invalid(`workspace.path must be a folder that exists, not ${folder}.`);
  }
  return realpathSync(folder);
}

function repositoryOf(folder: string | undefined): string {
  const repository = folder === undefined ? undefined : findRepository(realFolder(folder));
  if (!repository) throw invalid("The workspace mode clone needs `repo`, or a `path` in a git repository.");
  return repository.root;
}

function requireGit(folder: string): string {
  const program = findGit(folder);
  if (program === undefined)
    throw invalid("The workspace modes worktree and clone need git, which is not on the PATH.");
  return program;
}

function realParent(directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return realpathSync(directory);
}

const firstLine = (text: string): string => {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return (lines.find((line) => line.startsWith("fatal:")) ?? lines[0] ?? "it gave no reason.").replace(/^fatal: /, "");
};

const invalid = (message: string): WorkspaceError => new WorkspaceError("workspace_invalid", message);
