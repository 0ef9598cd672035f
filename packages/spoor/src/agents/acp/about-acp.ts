import type { AgentAbout } from "../agent-about.ts";

/** The program is unknown, so only facts about the protocol are listed. */
export const about: AgentAbout = {
  vendor: "any",
  homePage: "https://agentclientprotocol.com",
  install: [
    { with: "manual", command: "Install any agent that speaks the protocol, and name its program with --command." },
  ],
  models: {},
  capabilities: { supportsNativeTools: true },
};
