import { homedir } from "node:os";
import path from "node:path";
import type { FileLocation } from "../agents/agent-about.ts";
import type { Environment } from "../process/environment.ts";

/** The environment, home and project in which an agent's files are looked up. */
export interface LookupContext {
  /** The agent's environment, whose variables can move its files. */
  env?: Environment | undefined;
  home?: string | undefined;
  cwd?: string | undefined;
}

/** Returns the path of an agent's file or folder. An empty variable counts as not set. */
export function locate(
  location: FileLocation,
  { env = process.env, home, cwd = process.cwd() }: LookupContext = {},
): string {
  const folder = location.variable === undefined ? undefined : env[location.variable];
  if (folder !== undefined && folder !== "" && location.below !== undefined) {
    return path.resolve(cwd, folder, location.below);
  }
  if (location.path.startsWith("~/")) return path.join(home ?? homeOf(env), location.path.slice(2));
  return path.resolve(cwd, location.path);
}

const homeOf = (env: Environment): string => env[process.platform === "win32" ? "USERPROFILE" : "HOME"] || homedir();
