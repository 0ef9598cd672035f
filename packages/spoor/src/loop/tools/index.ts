import { applyPatch } from "./apply-patch.ts";
import { fileEdit } from "./file-edit.ts";
import { fileWrite } from "./file-write.ts";
import { gitExec } from "./git-exec.ts";
import { createGlob } from "./glob.ts";
import { createGrep } from "./grep.ts";
import { createHttpRequest } from "./http-request.ts";
import type { BuiltInTool } from "./kit/define-tool.ts";
import { listDir } from "./list-dir.ts";
import { multiEdit } from "./multi-edit.ts";
import { readFile } from "./read-file.ts";
import { shellExec } from "./shell-exec.ts";
import { todoWrite } from "./todo-write.ts";
import type { LoopTool } from "./tool.ts";
import { createWebFetch } from "./web-fetch.ts";
import { createWebSearch } from "./web-search.ts";

/** The tools that come with Spoor and start no process, in the order in which the model sees them. */
export const builtInTools: readonly BuiltInTool[] = [
  readFile,
  listDir,
  createGlob(),
  createGrep(),
  fileWrite,
  fileEdit,
  multiEdit,
  applyPatch,
  todoWrite,
  createHttpRequest(),
  createWebFetch(),
  createWebSearch(),
];

/** The tools that start processes, in the run's sandbox. */
export const commandTools: readonly BuiltInTool[] = [shellExec, gitExec];

/** The tools of our loop, without those of MCP servers. */
export const loopTools = (): readonly LoopTool[] => [...builtInTools, ...commandTools];
