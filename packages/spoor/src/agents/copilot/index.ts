import { acpWires } from "../acp/wires.ts";
import { createAcpDialect } from "../dialects/acp/index.ts";
import type { Adapter } from "../machine.ts";
import { about } from "./about-copilot.ts";
import { promptJson } from "./prompt-json/copilot-prompt-json.ts";
import { server } from "./server/copilot-server.ts";
import { copilotLive } from "./server/live.ts";
import { login } from "./session/failures.ts";
import { sessions } from "./sessions.ts";

export const copilot: Adapter = {
  name: "copilot",
  title: "GitHub Copilot CLI",
  about,
  sessions,
  dialects: [
    { ...server, tokensOnly: true, live: copilotLive },
    createAcpDialect({ login, ...acpWires.copilot }),
    promptJson,
  ],
};
