import { createAcpDialect } from "../dialects/acp/index.ts";
import type { Adapter } from "../machine.ts";
import { about } from "./about-openclaw.ts";
import { withResultDetails } from "./acp-result-details.ts";
import { login } from "./conversation/openclaw-failures.ts";
import { toolKinds } from "./conversation/openclaw-tools.ts";
import { document } from "./document/openclaw-document.ts";
import { gateway } from "./gateway/openclaw-gateway.ts";
import { bridgeLive, execLive } from "./openclaw-live.ts";
import { sessions } from "./openclaw-session-logs.ts";

/** The bridge to its gateway. Its arguments or its settings name the gateway. */
const acp = createAcpDialect({
  tools: toolKinds,
  login,
  launch: { command: "openclaw", args: ["acp"], allow: ["OPENCLAW_*"] },
  nameInTitle: /^(\w+): /,
  emptyPromptError: "OpenClaw ended the prompt without an answer. It does not tell why; its gateway's log does.",
});

/** Over ACP OpenClaw needs a running gateway. Without a gateway it prints only the result. */
export const openclaw: Adapter = {
  name: "openclaw",
  title: "OpenClaw",
  about,
  sessions,
  dialects: [
    { ...acp, createMachine: () => withResultDetails(acp.createMachine()), live: bridgeLive(acp.live) },
    { ...document, live: execLive },
    gateway,
  ],
};
