import { homedir } from "node:os";
import path from "node:path";
import type { Place } from "../agents/agent-about.ts";
import type { Environment } from "../process/environment.ts";

/** Whose home and which project an agent's files are looked for in. */
export interface Surroundings {
  /** Of the agent; its variables move its files. */
  env?: Environment | undefined;
  home?: string | undefined;
  cwd?: string | undefined;
}

/** The path of an agent's file or folder. An empty variable counts as not set. */
export function locate(place: Place, { env = process.env, home, cwd = process.cwd() }: Surroundings = {}): string {
  const moved = place.variable === undefined ? undefined : env[place.variable];
  if (moved !== undefined && moved !== "" && place.below !== undefined) return path.resolve(cwd, moved, place.below);
  if (place.path.startsWith("~/")) return path.join(home ?? homeOf(env), place.path.slice(2));
  return path.resolve(cwd, place.path);
}

const homeOf = (env: Environment): string => env[process.platform === "win32" ? "USERPROFILE" : "HOME"] || homedir();
