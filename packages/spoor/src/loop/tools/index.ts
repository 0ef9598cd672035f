import { gitExec } from "./git-exec.ts";
import type { BuiltInTool } from "./kit/define-tool.ts";
import { listDir } from "./list-dir.ts";
import { readFile } from "./read-file.ts";
import { shellExec } from "./shell-exec.ts";
import type { LoopTool } from "./tool.ts";

/** The tools that come with Spoor and need no process, in the order in which the model sees them. */
export const builtInTools: readonly BuiltInTool[] = [readFile, listDir];

/** The tools that start processes, in the run's sandbox. */
export const commandTools: readonly BuiltInTool[] = [shellExec, gitExec];

/** The tools of our loop, without those of MCP servers. */
export const loopTools = (): readonly LoopTool[] => [...builtInTools, ...commandTools];
