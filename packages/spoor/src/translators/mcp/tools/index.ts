// The tools that an agent can call, by name.

import { listArtifacts, readArtifact } from "./artifacts.ts";
import { runCost, usage } from "./cost.ts";
import { listApprovals } from "./list-approvals.ts";
import { listRuns } from "./list-runs.ts";
import { readEvent } from "./read-event.ts";
import { readRun } from "./read-run.ts";
import { runDiffTool } from "./run-diff.ts";
import type { McpContext, McpTool } from "./tool.ts";

export type { McpContext, McpTool } from "./tool.ts";

/** The tools that only read. */
export const readingTools: readonly McpTool[] = [
  ...[listRuns, readRun, readEvent],
  ...[runDiffTool, listArtifacts, readArtifact],
  ...[runCost, usage, listApprovals],
];

/** The tools of a server. Those that change something are loaded only where they are allowed. */
export async function toolsOf({ commands }: McpContext): Promise<readonly McpTool[]> {
  if (!commands) return readingTools;
  const { commandTools } = await import("./commands.ts");
  return [...readingTools, ...commandTools];
}
