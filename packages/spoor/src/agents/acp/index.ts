import { createAcpDialect } from "../dialects/acp/index.ts";
import type { Adapter } from "../machine.ts";
import { about } from "./about-acp.ts";

/** Any agent that speaks the Agent Client Protocol; the caller names its program. */
export const acp: Adapter = {
  name: "acp",
  title: "Agent Client Protocol",
  about,
  dialects: [createAcpDialect({ launch: { command: "", args: [], hostsActions: true } })],
};
