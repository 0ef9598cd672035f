import { acpWires } from "../acp/wires.ts";
import { createAcpDialect } from "../dialects/acp/index.ts";
import type { Adapter } from "../machine.ts";
import { about } from "./about-openclaw.ts";
import { readingDetails } from "./bridge.ts";
import { login } from "./conversation/failures.ts";
import { toolKinds } from "./conversation/tools.ts";
import { document } from "./document/openclaw-document.ts";
import { gateway } from "./gateway/openclaw-gateway.ts";
import { bridgeLive, execLive } from "./live.ts";
import { sessions } from "./sessions.ts";

const acp = createAcpDialect({ tools: toolKinds, login, ...acpWires.openclaw });

/** Over ACP it needs its gateway to run; by itself it prints no more than what came of it. */
export const openclaw: Adapter = {
  name: "openclaw",
  title: "OpenClaw",
  about,
  sessions,
  dialects: [
    { ...acp, createMachine: () => readingDetails(acp.createMachine()), live: bridgeLive(acp.live) },
    { ...document, live: execLive },
    gateway,
  ],
};
