import { createPiLive } from "../dialects/pi/driving/pi-driving.ts";

const noMcp = "Over this wire omp has the MCP servers of `.mcp.json` alone; over ACP it can be given others.";
/** What reads passes unasked. */
const asking = ["--approval-mode", "always-ask"];

export const ompLive = createPiLive({
  command: "omp",
  // Else it asks a model for a title.
  args: ["--no-title"],
  asking: { ask: asking, auto: ["--approval-mode", "yolo"], deny: asking },
  deny: { how: "it asks, and is refused" },
  refuses: { mcpServers: noMcp, remoteMcpServers: noMcp, sseMcpServers: noMcp },
  resumeFlag: "--resume",
  allow: ["OMP_*", "PI_*"],
  // What its subagents do, it tells when asked to.
  first: [{ type: "set_subagent_subscription", level: "events" }],
});
