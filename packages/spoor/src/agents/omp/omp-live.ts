import { createPiLive } from "../dialects/pi/driving/pi-driving.ts";

const noMcp = "In this dialect omp has only the MCP servers of `.mcp.json`. Use `--dialect acp` to pass others.";
/** Tools that only read are not asked about. */
const asking = ["--approval-mode", "always-ask"];

export const ompLive = createPiLive({
  command: "omp",
  // Otherwise it calls a model to make a title.
  args: ["--no-title"],
  approveArguments: { ask: asking, auto: ["--approval-mode", "yolo"], deny: asking },
  deny: { how: "it asks, and Spoor refuses" },
  refuses: { mcpServers: noMcp, remoteMcpServers: noMcp, sseMcpServers: noMcp },
  resumeFlag: "--resume",
  allow: ["OMP_*", "PI_*"],
  // It reports what its subagents do only after this request.
  openingFrames: [{ type: "set_subagent_subscription", level: "events" }],
});
