import { acpWires } from "../acp/wires.ts";
import { createAcpDialect } from "../dialects/acp/index.ts";
import type { Adapter } from "../machine.ts";
import { about } from "./about.ts";
import { readingDetails } from "./bridge.ts";
import { document } from "./document.ts";
import { login } from "./failures.ts";
import { gateway } from "./gateway/index.ts";
import { bridgeLive, execLive } from "./live.ts";
import { toolKinds } from "./tools.ts";

const acp = createAcpDialect({ tools: toolKinds, login, ...acpWires.openclaw });

/** Over ACP it needs its gateway to run; by itself it prints no more than what came of it. */
export const openclaw: Adapter = {
  name: "openclaw",
  title: "OpenClaw",
  about,
  dialects: [
    { ...acp, createMachine: () => readingDetails(acp.createMachine()), live: bridgeLive(acp.live) },
    { ...document, live: execLive },
    gateway,
  ],
};
