import { createPiLive } from "../dialects/pi/driving/index.ts";

const noMcp = "Over this wire omp has the MCP servers of `.mcp.json` alone; over ACP it can be given others.";
const unasked = ["--approval-mode", "yolo"];

export const ompLive = createPiLive({
  command: "omp",
  // Else it asks a model for a title.
  args: ["--no-title"],
  asking: { ask: ["--approval-mode", "always-ask"], auto: unasked, deny: unasked },
  refuses: { mcpServers: noMcp, remoteMcpServers: noMcp, sseMcpServers: noMcp },
  resumeFlag: "--resume",
  readingTools: "read,grep,glob,ast_grep",
  allow: ["OMP_*", "PI_*"],
  // What its subagents do, it tells when asked to.
  first: [{ type: "set_subagent_subscription", level: "events" }],
});
