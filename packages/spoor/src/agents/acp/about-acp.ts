import type { AgentAbout } from "../agent-about.ts";

/** Of a program nobody has named, only the protocol is known. */
export const about: AgentAbout = {
  vendor: "any",
  homePage: "https://agentclientprotocol.com",
  install: [
    { with: "manual", command: "Install any agent that speaks the protocol, and name its program with --command." },
  ],
  models: {},
  capabilities: { supportsNativeTools: true },
};
