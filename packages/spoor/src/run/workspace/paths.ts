import { lstat, realpath } from "node:fs/promises";
import path from "node:path";
import { WorkspaceError } from "./workspace-error.ts";

/**
 * Returns the real path of a file inside the workspace, which need not exist. Only this function follows links: it refuses
 * links that lead out of the workspace or to nothing, because writing through them would create a file outside.
 */
export async function resolveInside(root: string, named: string): Promise<string> {
  if (named === "" || named.includes("\0"))
    throw new WorkspaceError("invalid", "The path is empty or has a NUL in it.");
  const realRoot = await realpath(root);
  const wanted = path.resolve(root, named);
  const missing: string[] = [];
  for (let at = wanted; ; at = path.dirname(at)) {
    const real = await realpath(at).catch((error: NodeJS.ErrnoException) => missingOrThrow(error, named));
    if (real !== undefined) {
      const found = path.join(real, ...missing);
      if (!isInside(realRoot, found)) throw outside(named, root);
      return found;
    }
    if (await isThere(at))
      throw new WorkspaceError("invalid", `${named} goes through a link whose target does not exist.`);
    missing.unshift(path.basename(at));
  }
}

function missingOrThrow(error: NodeJS.ErrnoException, named: string): undefined {
  if (error.code === "ENOENT") return undefined;
  throw new WorkspaceError("invalid", `${named} cannot be reached (${error.code}).`);
}

const isThere = (file: string): Promise<boolean> =>
  lstat(file).then(
    () => true,
    () => false,
  );

function isInside(root: string, file: string): boolean {
  const relative = path.relative(root, file);
  return !path.isAbsolute(relative) && relative.split(path.sep)[0] !== "..";
}

const outside = (named: string, root: string): WorkspaceError =>
  new WorkspaceError("invalid", `${named} is outside the workspace ${root}.`);
