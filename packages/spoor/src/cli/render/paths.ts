import { homedir } from "node:os";

/** Returns a function that makes paths short: relative to the workspace, or to the home folder. */
export function pathsIn(workspace: string | undefined): (path: string) => string {
  return (path) => {
    if (workspace !== undefined && path.startsWith(`${workspace}/`)) return path.slice(workspace.length + 1);
    return fromHome(path);
  };
}

/** A path with `~` for the home folder. */
export function fromHome(path: string): string {
  const home = homedir();
  return path === home ? "~" : home !== "/" && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
