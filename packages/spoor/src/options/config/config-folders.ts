import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

export interface FolderOptions {
  /** The search for the project's folder starts here and goes up. */
  cwd: string;
  /** The user's folder, if it is not the usual one. */
  configDir?: string;
  /** The project's folder, if it is not to be searched for. */
  projectConfigDir?: string;
  environment: Readonly<Record<string, string | undefined>>;
}

/** The folders that hold configuration and profiles: the user's, and the project's if there is one. */
export interface ConfigFolders {
  global: string;
  project: string | undefined;
}

export function findConfigFolders({ cwd, configDir, projectConfigDir, environment }: FolderOptions): ConfigFolders {
  const global = path.resolve(configDir ?? (environment.SPOOR_HOME || path.join(homedir(), ".spoor")));
  return { global, project: projectConfigDir ?? findUpward(path.resolve(cwd), global) };
}

/** Skips the user's own folder: it lies above many projects, but is not the folder of any of them. */
function findUpward(folder: string, global: string): string | undefined {
  const candidate = path.join(folder, ".spoor");
  const isUsed = existsSync(path.join(candidate, "config.json")) || existsSync(path.join(candidate, "profiles"));
  if (candidate !== global && isUsed) return candidate;
  const parent = path.dirname(folder);
  return parent === folder ? undefined : findUpward(parent, global);
}
