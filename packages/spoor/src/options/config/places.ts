import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

export interface PlaceOptions {
  /** Where to look for the project from. */
  cwd: string;
  /** The user's own folder, and the project's, when they are not where they usually are. */
  configDir?: string;
  projectConfigDir?: string;
  environment: Readonly<Record<string, string | undefined>>;
}

/** The folders that hold configuration and profiles: the user's, and the project's if there is one. */
export interface Places {
  global: string;
  project: string | undefined;
}

export function findPlaces({ cwd, configDir, projectConfigDir, environment }: PlaceOptions): Places {
  const global = path.resolve(configDir ?? (environment.SPOOR_HOME || path.join(homedir(), ".spoor")));
  return { global, project: projectConfigDir ?? findUpward(path.resolve(cwd), global) };
}

/** The user's own folder lies above many projects and is none of theirs. */
function findUpward(folder: string, global: string): string | undefined {
  const candidate = path.join(folder, ".spoor");
  const isUsed = existsSync(path.join(candidate, "config.json")) || existsSync(path.join(candidate, "profiles"));
  if (candidate !== global && isUsed) return candidate;
  const parent = path.dirname(folder);
  return parent === folder ? undefined : findUpward(parent, global);
}
