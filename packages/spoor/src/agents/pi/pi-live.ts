import { createPiLive } from "../dialects/pi/driving/pi-driving.ts";

const noMcp = "Pi does not support MCP. Install an extension that adds it.";

/** Pi runs its tools without asking; extensions may ask. */
export const piLive = createPiLive({
  command: "pi",
  takes: ["skills"],
  refuses: { mcpServers: noMcp, remoteMcpServers: noMcp, sseMcpServers: noMcp },
  askWarning:
    "Pi runs its tools without asking; only its extensions ask. With `--approve deny` it has only tools that read.",
  deny: { how: "it has only tools that read" },
  resumeFlag: "--session",
  providerFlag: "--provider",
  readOnlyTools: "read,grep,find,ls",
  allow: ["PI_*"],
});
