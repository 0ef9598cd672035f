import { createPiLive } from "../dialects/pi/driving/pi-driving.ts";

const noMcp = "Pi has no MCP of its own: an extension of yours brings it.";

/** It runs its tools without asking; extensions may ask. */
export const piLive = createPiLive({
  command: "pi",
  takes: ["skills"],
  refuses: { mcpServers: noMcp, remoteMcpServers: noMcp, sseMcpServers: noMcp },
  unasked: "Pi runs its tools without asking; only its extensions ask. `--approve deny` leaves it the tools that read.",
  deny: { how: "it has only the tools that read" },
  resumeFlag: "--session",
  providerFlag: "--provider",
  readingTools: "read,grep,find,ls",
  allow: ["PI_*"],
});
