import { existsSync } from "node:fs";
import path from "node:path";
import { findProjectFiles } from "../policy/project-files.ts";

/** Whether there is anything that could govern a run: without it, the rules need not be loaded. */
export const mayGovern = (directory: string, configFolder: string, cwd: string): boolean =>
  existsSync(path.join(directory, "policy.rules")) ||
  existsSync(path.join(configFolder, "config.json")) ||
  findProjectFiles(path.resolve(cwd), path.resolve(directory)).length > 0;
