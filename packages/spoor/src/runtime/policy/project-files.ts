import { statSync } from "node:fs";
import path from "node:path";

/** Finds the files of the project and of the folders above it, the nearest first. The user's own file is none of them. */
export function findProjectFiles(workspace: string, directory: string): string[] {
  const found: string[] = [];
  for (let folder = workspace; ; folder = path.dirname(folder)) {
    const file = path.join(folder, ".spoor", "policy.rules");
    if (path.dirname(file) !== directory && exists(file)) found.push(file);
    if (folder === path.dirname(folder)) return found;
  }
}

function exists(file: string): boolean {
  try {
    statSync(file);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A file that may not be looked at exists, and reading it reports why it cannot be used.
    return code !== "ENOENT" && code !== "ENOTDIR";
  }
}
